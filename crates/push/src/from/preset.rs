#[derive(Debug)]
pub struct Preset {
    pub name: &'static str,
    pub program: &'static str,
}

macro_rules! presets {
    ($($name:literal)+) => {
        pub const PRESETS: &[Preset] = &[$(Preset {
            name: $name,
            program: include_str!(concat!("presets/", $name, ".jq")),
        }),+];
    };
}

presets!(
    "ashby" "csv" "greenhouse" "indeed" "jobspy" "lever" "personio" "recruitee" "schemaorg"
    "smartrecruiters" "teamtailor" "workable"
);

impl Preset {
    pub fn find(name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.name == name)
    }

    /// The first comment of the program.
    pub fn purpose(&self) -> &'static str {
        let line = self.program.lines().next().unwrap_or_default();
        line.trim_start_matches(['#', ' '])
    }
}
