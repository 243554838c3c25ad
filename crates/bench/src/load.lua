-- Creates the pushes that wrk sends. The program that starts wrk writes the constants above this
-- line: TAILS, COMPANIES, SEEDS, SCENARIO, RUN, CHECK, HOST and TOKEN.

local threads, counter, unexpected = {}, 0, 0
local first_unexpected = ''

function setup(thread)
  thread:set('number', #threads)
  table.insert(threads, thread)
end

local function text(number)
  return string.format('%d', number)
end

local function payload(posting, title, tail)
  local company = text(posting % COMPANIES)
  return '{"title":"' .. title
    .. '","company":{"name":"Company ' .. company
    .. '","website_url":"https://www.company-' .. company
    .. '.example/","logo_path":"logos/' .. company
    .. '.png"},"application_url":"https://www.company-' .. company
    .. '.example/jobs/' .. text(posting) .. '",' .. TAILS[tail % #TAILS + 1]
end

local headers = ' HTTP/1.1\r\nHost: ' .. HOST
  .. '\r\nAuthorization: Bearer ' .. TOKEN
  .. '\r\nContent-Type: application/json\r\nContent-Length: '

local function put(identifier, body)
  return 'PUT /api/job-board/job-postings/' .. identifier .. headers .. text(#body)
    .. '\r\n\r\n' .. body
end

local function title(identifier)
  return 'Backend Engineer (m/f/d) ' .. identifier
end

local make = {}

-- An identifier that was never pushed.
function make.create(n)
  local identifier = 'new-' .. RUN .. '-' .. text(number) .. '-' .. text(n)
  return put(identifier, payload(n, title(identifier), n))
end

-- The stored payload, byte for byte.
function make.unchanged(n)
  local posting = n % SEEDS
  local identifier = 'keep-' .. text(posting)
  return put(identifier, payload(posting, title(identifier), posting))
end

-- Every field but the identifier, the description among them.
function make.full(n)
  local posting = n % SEEDS
  local revision = ' ' .. RUN .. '-' .. text(n)
  -- The company stays: updates rarely move a posting to another company.
  local body = payload(posting, 'Backend Engineer' .. revision, n + SHIFT)
  return put('move-' .. text(posting), body)
end

-- Title and salary.
function make.partial(n)
  local salary = 30000 + (n + SHIFT) % 50000
  return put('move-' .. text(n % SEEDS), '{"title":"Backend Engineer ' .. RUN .. '-' .. text(n)
    .. '","salary_min":' .. text(salary) .. ',"salary_max":' .. text(salary + 9000) .. '}')
end

function request()
  counter = counter + 1
  return make[SCENARIO](counter)
end

-- Checking answers costs wrk more than sending requests, so only the warm-up does it.
if CHECK then
  local expected = SCENARIO == 'create' and 201 or 200
  function response(status)
    if status ~= expected then
      unexpected = unexpected + 1
      if first_unexpected == '' then first_unexpected = text(status) end
      _G.unexpected, _G.first_unexpected = unexpected, first_unexpected
    end
  end
end

function done(summary, latency)
  local wrong, status = 0, '-'
  for _, thread in ipairs(threads) do
    local of_thread = thread:get('unexpected')
    if of_thread then
      wrong = wrong + of_thread
      status = thread:get('first_unexpected')
    end
  end
  local errors = summary.errors
  io.write(string.format(
    'RESULT requests=%d us=%d p50=%d p99=%d max=%d connect=%d read=%d write=%d timeout=%d refused=%d unexpected=%d status=%s\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    latency.max, errors.connect, errors.read, errors.write, errors.timeout, errors.status,
    wrong, status))
end
