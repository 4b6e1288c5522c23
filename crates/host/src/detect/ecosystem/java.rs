//! Detects Java projects, with Maven or Gradle.

use baton_protocol::Language;
use baton_protocol::detection::{
    Candidate, Framework, PackageManagerName, Purpose, Source, TestingCommands,
};

use super::{Findings, frameworks_of_dependencies, package_manager};
use crate::detect::parse::{self, Pom};
use crate::detect::project_files::ProjectFiles;
use crate::detect::proposal::{Proposal, Surroundings, WithFallback, candidate};

const GRADLE_SCRIPTS: [&str; 2] = ["build.gradle", "build.gradle.kts"];

const FRAMEWORKS: [(&str, &str); 6] = [
    ("junit-jupiter", "junit5"),
    ("junit-jupiter-api", "junit5"),
    ("junit-jupiter-engine", "junit5"),
    ("junit", "junit4"),
    ("testng", "testng"),
    ("spock-core", "spock"),
];

/// How to name a dependency in a Gradle script, and the framework it brings.
const GRADLE_FRAMEWORKS: [(&str, &str); 5] = [
    ("org.junit.jupiter", "junit5"),
    ("useJUnitPlatform", "junit5"),
    ("junit:junit", "junit4"),
    ("org.testng", "testng"),
    ("org.spockframework", "spock"),
];

pub(super) fn findings(surroundings: Surroundings<'_>) -> Findings {
    let files = surroundings.files;
    if is_gradle(files) {
        gradle(files)
    } else {
        maven(files)
    }
}

/// Where both are there the one with a wrapper is the one in use; otherwise Maven.
fn is_gradle(files: &ProjectFiles) -> bool {
    let has_gradle =
        files.first(&GRADLE_SCRIPTS).is_some() || (files.has("gradlew") && !files.has("pom.xml"));
    let has_wrapper_only_for_gradle = files.has("gradlew") && !files.has("mvnw");
    has_gradle && (!files.has("pom.xml") || has_wrapper_only_for_gradle)
}

/// The wrapper fixes the tool's version, so it goes before an installed one.
struct Program {
    command: &'static str,
    /// What else could run the tasks, where the project has it.
    other: Option<&'static str>,
    reason: &'static str,
}

impl Program {
    fn new(
        files: &ProjectFiles,
        wrapper: &'static str,
        [wrapper_command, wrapper_through_shell]: [&'static str; 2],
        installed: &'static str,
    ) -> Self {
        if files.is_executable(wrapper) {
            return Self {
                command: wrapper_command,
                other: Some(installed),
                reason: "default of the language, through the project's wrapper",
            };
        }
        if files.has(wrapper) {
            files.note(
                wrapper,
                format!("{wrapper} is not executable, so {installed} is preferred"),
            );
            return Self {
                command: installed,
                other: Some(wrapper_through_shell),
                reason: "default of the language; the project's wrapper is not executable",
            };
        }
        Self {
            command: installed,
            other: None,
            reason: "default of the language",
        }
    }

    fn run(&self, task: &str) -> String {
        format!("{} {task}", self.command)
    }

    fn default(&self, purpose: Purpose, task: &str) -> Proposal {
        Proposal::default(purpose, self.run(task), self.reason)
    }

    /// A task of a plugin that the project does not have.
    fn without_plugin(&self, purpose: Purpose, task: &str, plugin: &str) -> Proposal {
        let reason = format!("{}; {plugin} is not configured", self.reason);
        Proposal::default(purpose, self.run(task), reason)
    }

    fn test(&self) -> Candidate {
        let test = candidate(self.run("test"), Source::LanguageDefault, self.reason);
        match self.other {
            Some(other) => test.or(format!("{other} test")),
            None => test,
        }
    }
}

fn maven(files: &ProjectFiles) -> Findings {
    let program = Program::new(files, "mvnw", ["./mvnw", "sh mvnw"], "mvn");
    let pom = files
        .text("pom.xml")
        .map(|text| parse::pom(&text))
        .unwrap_or_default();
    let test = program.test().or("mvn verify");
    Findings {
        package_manager: files
            .has("pom.xml")
            .then(|| package_manager(PackageManagerName::Maven, "there is pom.xml")),
        proposals: maven_proposals(&program, &pom),
        testing: TestingCommands {
            test: vec![test],
            build: None,
            forced_build: Some(candidate(
                program.run("compile"),
                Source::LanguageDefault,
                "asked for; the tests compile on their own",
            )),
        },
        frameworks: frameworks_of_dependencies(
            Language::Java,
            "pom.xml",
            pom.dependencies.iter().map(String::as_str),
            &FRAMEWORKS,
        ),
        suggestion: "Install a JDK and Maven (https://maven.apache.org), then run: mvn compile"
            .to_owned(),
    }
}

fn maven_proposals(program: &Program, pom: &Pom) -> Vec<Proposal> {
    let has_plugin = |name: &str| pom.plugins.iter().any(|plugin| plugin == name);
    let mut proposals = Vec::new();
    let formats = [Purpose::Format, Purpose::FormatFix];
    if has_plugin("spotless-maven-plugin") {
        proposals.extend(formats.map(|purpose| {
            Proposal::configured(
                purpose,
                program.run("spotless:apply"),
                "pom.xml",
                "pom.xml has the plugin spotless",
            )
        }));
    }
    if has_plugin("maven-checkstyle-plugin") {
        proposals.push(Proposal::configured(
            Purpose::Lint,
            program.run("checkstyle:check"),
            "pom.xml",
            "pom.xml has the plugin checkstyle",
        ));
    }
    if has_plugin("spring-boot-maven-plugin") {
        proposals.push(Proposal::configured(
            Purpose::Start,
            program.run("spring-boot:run"),
            "pom.xml",
            "pom.xml has the plugin spring-boot",
        ));
    }
    proposals.extend(
        formats.map(|purpose| program.without_plugin(purpose, "spotless:apply", "spotless")),
    );
    proposals.push(program.without_plugin(Purpose::Lint, "checkstyle:check", "checkstyle"));
    // Nothing to install with: Maven fetches what a build needs. The plugin `dependency`
    // is not the project's choice, and fails where modules depend on each other.
    proposals.push(program.default(Purpose::Build, "compile"));
    proposals.push(Proposal::from_candidate(Purpose::Test, program.test()));
    proposals
}

fn gradle(files: &ProjectFiles) -> Findings {
    let program = Program::new(files, "gradlew", ["./gradlew", "sh gradlew"], "gradle");
    let file = files.first(&GRADLE_SCRIPTS).unwrap_or("build.gradle");
    let script = files.text(file).unwrap_or_else(|| "".into());
    let test = program.test().or("./gradlew test");
    Findings {
        package_manager: files
            .first(&GRADLE_SCRIPTS)
            .map(|file| package_manager(PackageManagerName::Gradle, format!("there is {file}"))),
        proposals: gradle_proposals(&program, file, &script),
        testing: TestingCommands {
            test: vec![test],
            build: None,
            forced_build: Some(candidate(
                program.run("classes"),
                Source::LanguageDefault,
                "asked for; the tests compile on their own",
            )),
        },
        frameworks: gradle_frameworks(file, &script),
        suggestion: "Install a JDK and Gradle (https://gradle.org), then run: gradle classes"
            .to_owned(),
    }
}

fn gradle_proposals(program: &Program, file: &str, script: &str) -> Vec<Proposal> {
    let mut proposals = Vec::new();
    let formats = [Purpose::Format, Purpose::FormatFix];
    if parse::gradle_names_plugin(script, "com.diffplug.spotless") {
        proposals.extend(formats.map(|purpose| {
            Proposal::configured(
                purpose,
                program.run("spotlessApply"),
                file,
                format!("{file} has the plugin spotless"),
            )
        }));
    }
    if parse::gradle_names_plugin(script, "checkstyle") {
        proposals.push(Proposal::configured(
            Purpose::Lint,
            program.run("checkstyleMain checkstyleTest"),
            file,
            format!("{file} has the plugin checkstyle"),
        ));
    }
    if parse::gradle_names_plugin(script, "org.springframework.boot") {
        proposals.push(Proposal::configured(
            Purpose::Start,
            program.run("bootRun"),
            file,
            format!("{file} has the plugin spring boot"),
        ));
    }
    proposals.extend(
        formats.map(|purpose| program.without_plugin(purpose, "spotlessApply", "spotless")),
    );
    proposals.push(program.default(Purpose::Lint, "check"));
    proposals.push(program.default(Purpose::Build, "classes"));
    proposals.push(Proposal::from_candidate(Purpose::Test, program.test()));
    proposals
}

fn gradle_frameworks(file: &str, script: &str) -> Vec<Framework> {
    let mut found: Vec<Framework> = Vec::new();
    for (mention, name) in GRADLE_FRAMEWORKS {
        if script.contains(mention) && found.iter().all(|known| known.name != name) {
            found.push(super::framework(
                Language::Java,
                name,
                format!("{file} mentions {mention}"),
            ));
        }
    }
    found
}
