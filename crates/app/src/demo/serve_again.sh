# The demo has ended. This serves its data again, in the background; `kill %1`
# ends it.
@PROGRAM@ serve --log warn \
  --data-dir @DIRECTORY@ \
  --database-url @DATABASE@ \
  --bind @BIND@ --public-url @URL@ &
curl -s --retry 90 --retry-delay 1 --retry-connrefused \
  @URL@/readyz
echo
