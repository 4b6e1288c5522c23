//! `cargo xtask bench review --data DIR`: the review beside other scanners, in
//! one run over code that others have labelled, and over projects that are in
//! good health. docs/benchmarks.md says which repositories belong in `DIR`.

mod annotated;
mod cost;
mod material;
mod noise;
mod owasp;
mod queries;
mod results;
mod samples;
mod sarif;
mod scanner;
mod score;
mod weakness;

use std::fs;
use std::path::PathBuf;

use self::material::Material;
use self::owasp::Edition;
use self::results::Results;
use self::scanner::{Scanner, Scanners};
use self::score::{Label, Verdict};
use crate::built::Built;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::peers;
use crate::project::Project;

pub(crate) struct Options {
    /// Checkouts of public repositories.
    pub(crate) data: PathBuf,
    /// Of OWASP's cases, only every so-manieth: semgrep takes minutes for all.
    pub(crate) every: u32,
    /// Names of scanners that are not run.
    pub(crate) without: Vec<String>,
    /// Instead of building one.
    pub(crate) baton: Option<PathBuf>,
}

pub(crate) fn run(
    project: &Project,
    environment: &Environment,
    options: &Options,
) -> Result<(), Failure> {
    let data = options
        .data
        .canonicalize()
        .map_err(Failure::could_not(format_args!(
            "find {}",
            options.data.display()
        )))?;
    let chosen = Scanner::all_but(&options.without)?;
    let python = peers::ensure(environment, &peers::SCANNERS)?;
    let baton = program(project, options, &chosen)?;
    let scratch = project.target.join("bench-review");
    fs::create_dir_all(&scratch).map_err(Failure::could_not(format_args!(
        "create {}",
        scratch.display()
    )))?;
    let bench = Bench {
        scanners: Scanners {
            baton,
            bin: python.parent().unwrap_or(&python).to_owned(),
            rules: data.join("semgrep-rules"),
            scratch: scratch.clone(),
        },
        chosen,
        data,
        scratch,
    };
    println!("{}\n", super::machine()?);
    bench.owasp(&owasp::JAVA, options.every)?;
    bench.owasp(&owasp::PYTHON, 1)?;
    bench.queries()?;
    bench.annotated()?;
    bench.samples()?;
    let healthy = bench.repository("healthy")?;
    let material = bench.material("healthy")?;
    println!(
        "{}",
        noise::measure(&bench.scanners, &bench.chosen, &healthy, &material)?
    );
    let material = bench.material("start")?;
    print!(
        "{}",
        cost::measure(&bench.scanners, &bench.chosen, &material)?
    );
    Ok(())
}

/// The baton that is measured; none if it takes no part.
fn program(project: &Project, options: &Options, chosen: &[Scanner]) -> Result<PathBuf, Failure> {
    if let Some(baton) = &options.baton {
        let finding = Failure::could_not(format!("find {}", baton.display()));
        return baton.canonicalize().map_err(finding);
    }
    if !chosen.contains(&Scanner::Baton) {
        return Ok(PathBuf::new());
    }
    let built = Built::with(project, &["--release", "--package=baton", "--bin=baton"])?;
    Ok(built.program("baton")?.to_owned())
}

struct Bench {
    scanners: Scanners,
    chosen: Vec<Scanner>,
    data: PathBuf,
    scratch: PathBuf,
}

impl Bench {
    fn owasp(&self, edition: &Edition, every: u32) -> Result<(), Failure> {
        let material = self.material(edition.name)?;
        let repository = self.repository(edition.name)?;
        let every = usize::try_from(every).unwrap_or(usize::MAX);
        let labels = owasp::gather(edition, &repository, every, &material)?;
        let without: &[Scanner] = if edition.is_python() {
            &[]
        } else {
            &PYTHON_ALONE
        };
        let results = self.results(edition.title, labels, &material, without)?;
        let mut table = results.overall();
        if every > 1 && self.chosen.contains(&Scanner::Baton) {
            let whole = self.material("owasp-all")?;
            let all = owasp::gather(edition, &repository, 1, &whole)?;
            let scan = self.scanners.scan(Scanner::Baton, &whole.folder)?;
            let name = format!("baton, all {} cases", all.len());
            let counts = results::counts(&all, &scan);
            table.row(results::row(&name, counts, Some(scan.cpu_seconds)));
        }
        table.note(format!(
            "{} cases{}. A case is found when the scanner names its weakness anywhere in its file.",
            results.labels.len(),
            match every {
                1 => String::new(),
                every => format!(", one in {every}"),
            }
        ));
        println!("{table}");
        println!("{}", results.by_class("Youden", results::youden));
        Ok(())
    }

    fn queries(&self) -> Result<(), Failure> {
        let material = self.material("queries")?;
        let labels = queries::gather(&self.repository("codeql")?, &material)?;
        let weak = labels.iter().filter(|label| label.verdict == Verdict::Weak);
        let note = format!(
            "{} places in seven languages. One is found when the scanner names its weakness there; what it says of \
             the same weakness elsewhere in these files is a false alarm.",
            weak.count()
        );
        self.results("CodeQL's tests", labels, &material, &[])?
            .print(&note);
        Ok(())
    }

    fn annotated(&self) -> Result<(), Failure> {
        let material = self.material("annotated")?;
        let labels = annotated::gather(&self.repository("semgrep-rules")?, &material)?;
        let note = format!(
            "{} marked places in seven languages. A place is found when the scanner names its weakness there; \
             semgrep is left out, because its rules were written for these lines.",
            labels.len()
        );
        self.results(
            "The tests of semgrep-rules",
            labels,
            &material,
            &[Scanner::Semgrep],
        )?
        .print(&note);
        Ok(())
    }

    fn samples(&self) -> Result<(), Failure> {
        let material = self.material("samples")?;
        let labels = samples::gather(&self.repository("gosec")?, &material)?;
        let results = self.results("The samples of gosec", labels, &material, &PYTHON_ALONE)?;
        let mut table = results.overall();
        table.note(format!(
            "{} programs in Go. One is found when the scanner names its weakness anywhere in it.",
            results.labels.len()
        ));
        println!("{table}");
        println!(
            "{}",
            results.by_class("precision / recall / F1", results::three)
        );
        Ok(())
    }

    fn repository(&self, name: &str) -> Result<PathBuf, Failure> {
        let folder = self.data.join(name);
        if folder.is_dir() {
            return Ok(folder);
        }
        Err(Failure::new(format!("there is no {}", folder.display()))
            .next("clone the repositories that docs/benchmarks.md lists into the data folder"))
    }

    fn material(&self, name: &str) -> Result<Material, Failure> {
        Material::empty(self.scratch.join(name))
    }

    fn results(
        &self,
        title: &'static str,
        labels: Vec<Label>,
        material: &Material,
        without: &[Scanner],
    ) -> Result<Results, Failure> {
        let mut scans = Vec::new();
        for scanner in &self.chosen {
            if without.contains(scanner) {
                continue;
            }
            let scan = self.scanners.scan(*scanner, &material.folder)?;
            // For anyone who wants to know why.
            let mistakes = score::mistakes(&labels, &scan.alarms).join("\n");
            let list = format!("{}.{}.txt", material.name(), scanner.name());
            let list = self.scratch.join(list);
            fs::write(&list, mistakes)
                .map_err(Failure::could_not(format_args!("write {}", list.display())))?;
            scans.push((*scanner, scan));
        }
        Ok(Results {
            title,
            labels,
            scans,
        })
    }
}

/// They would have nothing to read.
const PYTHON_ALONE: [Scanner; 2] = [Scanner::Bandit, Scanner::Ruff];
