/// `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256`
pub const OPENSSL_P256: &str = "\
-----BEGIN PRIVATE KEY-----\n\
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgMA/5M0sVXanEcRq4\n\
u1/5+B3H9CzEqI00A+j/3vmpwl2hRANCAATib6agnP98i3SzjS5/lauPJjZg3LKJ\n\
c4jSz3t+4sjlQGzozs3y6TATRaNR5r8+M7lzn61M3ktE3q+hCHrGB1CK\n\
-----END PRIVATE KEY-----\n\
";

/// The same with P-384.
pub const OPENSSL_P384: &str = "\
-----BEGIN PRIVATE KEY-----\n\
MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDB1OafO/TVrqBQPrfS/\n\
rwsAFAiS74g+pNEkYIKOcFTextugqK77TsIhWyXFZtfcrh+hZANiAARDM6gfnVuR\n\
OSWHYkz2sZ2d9vtgjNlYHpcb/jeoBwL3wbCYaxvMjzKwun260OHYxEMGdpkRq7+0\n\
CPmB5KaNapWtThWFYPf3sMlsdn9mLyxKn4Kmh6IZ7C3YnK+R/XB3GfU=\n\
-----END PRIVATE KEY-----\n\
";

/// The right curve in the older form of SEC 1: `openssl ecparam -name prime256v1 -genkey -noout`.
pub const OPENSSL_SEC1: &str = "\
-----BEGIN EC PRIVATE KEY-----\n\
MHcCAQEEIKNuyvjudIqWuNuvEj23W01l4W7DPgHM4CZDWa1v1OUNoAoGCCqGSM49\n\
AwEHoUQDQgAEVCqO8WQQyajbycnZYnCgUiL7YJ+b/86GUf81CHtIgRXwt/IA2wJ7\n\
1cuEg2zZGee61xH7FyqCTnucev1lqcWzGg==\n\
-----END EC PRIVATE KEY-----\n\
";
