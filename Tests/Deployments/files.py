#!/usr/bin/env python3
"""Checks the files of Examples/scale-out, the Dockerfile and the pages that show them: what they name must exist.

    files.py --programs FOLDER [--root FOLDER]

Prints each problem; ends with 1 where there is one. Needs PyYAML and kubernetes-validate.
"""

import argparse
import functools
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import kubernetes_validate
import yaml

TOP = pathlib.Path(__file__).resolve().parents[2]
DATABASES = ["db1.example.com", "db2.example.com"]


class Checks:
    def __init__(self, root, programs, secrets):
        self.root, self.programs, self.secrets = root, programs, secrets
        self.example = root / "Examples" / "scale-out"
        self.page = (root / "docs" / "scale-out.md").read_text()
        self.problems = []
        self.image = Image(root)
        self.file = yaml.safe_load((self.example / "mobile-services.yaml").read_text())
        self.drain = int(re.search(r"shutdown\.\s+\(default: (\d+)s\)", self.help("run")).group(1))
        contract = json.loads(self.corewire("env", "contract", "--format", "json", "--config",
                                            self.example / "mobile-services.yaml", "prod"))
        self.credentials = {part["name"] for part in contract if part["kind"] == "credential"}
        self.expect(self.credentials, "mobile-services.yaml names no credential")

    def expect(self, holds, problem):
        if not holds:
            self.problems.append(problem)
        return holds

    def corewire(self, *words):
        done = subprocess.run([self.programs / "corewire", *words], capture_output=True, text=True)
        if done.returncode != 0:
            self.problems.append(f"corewire {' '.join(map(str, words))}: {done.stdout}{done.stderr}")
        return done.stdout

    @functools.cache
    def help(self, *words):
        done = subprocess.run([self.programs / "corewire", "help", *words], capture_output=True, text=True)
        return done.stdout if done.returncode == 0 else None

    def all(self):
        self.corewire("validate-config", "--strict", self.example / "mobile-services.yaml")
        self.check_image()
        Compose(self).all()
        Kubernetes(self).all()
        self.check_pages()

    # MARK: Commands

    def check_command(self, where, words):
        """A command of the image of the runner: a shell's text, or corewire with a command and options that exist."""
        if words[0] == "sh":
            self.check_shell(where, words[words.index("-c") + 1])
        elif self.expect(words[0] == "corewire", f"{where}: the image has no program '{words[0]}'"):
            self.check_corewire(where, words[1:])

    def check_shell(self, where, text):
        done = subprocess.run(["sh", "-n", "-c", text], capture_output=True, text=True)
        self.expect(done.returncode == 0, f"{where}: {done.stderr.strip()}")
        calls = re.findall(r"\bcorewire ([^;|&<>\n]*)", text)
        self.expect(calls, f"{where}: '{text}' does not call corewire")
        for call in calls:
            self.check_corewire(where, shlex.split(call))

    def check_corewire(self, where, words):
        names = []
        while len(names) < len(words) and self.help(*names, words[len(names)]):
            names.append(words[len(names)])
        # The help of a command that has others below it lists them.
        is_whole = names and "SUBCOMMANDS:" not in self.help(*names)
        if not self.expect(is_whole, f"{where}: there is no command 'corewire {' '.join(words)}'"):
            return
        for option in (word.split("=")[0] for word in words if word.startswith("--")):
            known = re.search(rf"(?<![\w-]){option}(?![\w-])", self.help(*names))
            self.expect(known, f"{where}: 'corewire {' '.join(names)}' has no option {option}")

    # MARK: The image

    def check_image(self):
        needed = subprocess.run(
            ["readelf", "--dynamic", "--wide", self.programs / "corewire-runner"], capture_output=True, text=True
        )
        names = re.findall(r"NEEDED.*\[(.*)\]", needed.stdout)
        # The runner loads these two when a file needs them, as that of the example does.
        names += ["libcurl.so.4", "libpq.so.5"]
        # One search for all of them: each reads the lists of all installed packages.
        done = subprocess.run(["dpkg", "--search", *(f"*/{name}" for name in names)], capture_output=True, text=True)
        found = [line.split(": ", 1) for line in done.stdout.splitlines() if ": " in line]
        for name in names:
            packages = {owner.split(":")[0] for owners, path in found if path.endswith(f"/{name}") for owner in owners.split(", ")}
            # Every image has these.
            packages -= {"libc6", "libgcc-s1"}
            if packages and not packages & set(self.image.packages):
                self.problems.append(f"Dockerfile: no package has {name}: {', '.join(sorted(packages))}")
        for page in ["docs/containers.md"]:
            shown = f"```dockerfile\n{(self.root / 'Dockerfile').read_text()}```\n" in (self.root / page).read_text()
            self.expect(shown, f"{page}: does not show the Dockerfile as it is")

    # MARK: Pages

    def check_pages(self):
        files = [path for path in sorted(self.example.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
        texts = {without_head(path.read_text()) for path in files}
        blocks = re.findall(r"^```(\w+)\n(.*?)^```$", self.page, re.MULTILINE | re.DOTALL)
        self.expect(blocks, "docs/scale-out.md: shows no file")
        for kind, text in blocks:
            first = text.splitlines()[0]
            self.expect(without_head(text) in texts, f"docs/scale-out.md: the {kind} file with '{first}' is none of the example")
        for name in re.findall(r"Examples/scale-out/([\w./-]*[\w-])", self.page):
            self.expect((self.example / name).exists(), f"docs/scale-out.md: there is no Examples/scale-out/{name}")
        for line in re.findall(r"^    [$#] (.*)$", self.page, re.MULTILINE):
            for call in re.findall(r"(?:^|\s)corewire ([a-z][a-z-]*(?:\s[^|<>#]*)?)$", line):
                self.check_corewire("docs/scale-out.md", shlex.split(call))


def without_head(text):
    """A text without the comments at its begin."""
    lines = text.splitlines()
    while lines and lines[0].startswith("#"):
        lines.pop(0)
    return "\n".join(lines).strip()


class Image:
    """What the Dockerfile makes."""

    def __init__(self, root):
        text = (root / "Dockerfile").read_text().replace("\\\n", " ")
        last = text[text.rindex("FROM ") :]
        install = re.search(r"apt-get install (.*?)&&", last).group(1)
        self.packages = [word for word in install.split() if not word.startswith("-")]
        self.variables = dict(word.split("=") for word in re.search(r"^ENV (.*)$", last, re.MULTILINE).group(1).split())
        self.entrypoint = json.loads(re.search(r"^ENTRYPOINT (.*)$", last, re.MULTILINE).group(1))
        self.command = json.loads(re.search(r"^CMD (.*)$", last, re.MULTILINE).group(1))
        self.user = int(re.search(r"^USER (\d+)", last, re.MULTILINE).group(1))


# MARK: Compose


class Compose:
    def __init__(self, checks):
        self.checks, self.expect = checks, checks.expect
        text = (checks.example / "compose.yaml").read_text()
        for name in re.findall(r"\$\{(\w+)\}", text):
            self.expect(False, f"compose.yaml: the variable {name} has no default")
        self.project = yaml.safe_load(text)
        self.services = self.project["services"]

    def all(self):
        for name, secret in self.project["secrets"].items():
            self.check_source(f"compose.yaml: secret {name}", secret["file"])
        for name, service in self.services.items():
            self.check_service(f"compose.yaml: {name}", service)
        runners = [service for service in self.services.values() if "COREWIRE_INSTANCE" in service.get("environment", {})]
        names = {service["environment"]["COREWIRE_INSTANCE"] for service in runners}
        self.expect(len(names) == len(runners) == 3, "compose.yaml: the three runners have not a name each")
        states = [volume for service in self.services.values() for volume in service["volumes"] if volume[0] not in "./"]
        self.expect(len(states) == len(set(states)), "compose.yaml: two services share a volume")
        aliases = [alias for service in self.services.values() for alias in self.aliases(service)]
        self.expect(sorted(aliases) == DATABASES, f"compose.yaml: the servers are {aliases}")
        for host in DATABASES:
            self.expect(host in self.checks.file["persistence"]["store"]["url"], f"mobile-services.yaml: url lacks {host}")
        built = {service["image"] for service in self.services.values() if "build" in service}
        for name, service in self.services.items():
            is_known = service["image"] in built or re.fullmatch(r"postgres:\d+-bookworm", service["image"])
            self.expect(is_known, f"compose.yaml: {name}: nothing builds the image {service['image']}")

    @staticmethod
    def aliases(service):
        return service.get("networks", {}).get("default", {}).get("aliases", [])

    def check_source(self, where, path):
        place = self.checks.example / path
        if pathlib.PurePath(path).parts[0] == "secrets":
            place = self.checks.secrets / pathlib.PurePath(path).name
        self.expect(place.exists(), f"{where}: there is no '{path}'")

    def check_service(self, where, service):
        targets = {}
        for volume in service.get("volumes", []):
            source, target = volume.split(":")[:2]
            targets[target] = source
            if source.startswith("."):
                self.check_source(where, source)
            else:
                self.expect(source in self.project["volumes"], f"{where}: there is no volume '{source}'")
        for secret in service.get("secrets", []):
            entry = secret if isinstance(secret, dict) else {"source": secret, "target": f"/run/secrets/{secret}"}
            targets[entry["target"]] = entry["source"]
            self.expect(entry["source"] in self.project["secrets"], f"{where}: there is no secret '{entry['source']}'")
        for name, condition in service.get("depends_on", {}).items():
            other = self.services.get(name)
            if self.expect(other, f"{where}: there is no service '{name}'") and condition["condition"] == "service_healthy":
                self.expect("test" in other.get("healthcheck", {}), f"{where}: '{name}' has no health check")
        if "build" in service:
            place = (self.checks.example / service["build"]).resolve() / "Dockerfile"
            self.expect(place.exists(), f"{where}: there is no Dockerfile in {service['build']}")
        if service["image"].startswith("postgres"):
            self.check_database(where, service, targets)
        else:
            self.check_runner(where, service, targets)

    def check_runner(self, where, service, targets):
        image = self.checks.image
        words = service.get("entrypoint", image.entrypoint) + service.get("command", [] if "entrypoint" in service else image.command)
        self.checks.check_command(where, words)
        for path in re.findall(r"/run/\S+/[\w.-]+", " ".join(words)):
            self.expect(path in targets, f"{where}: nothing is mounted at {path}")
        self.expect("/etc/corewire/mobile-services.yaml" in targets, f"{where}: has no services file")
        authorities = self.checks.file["persistence"]["store"]["authorities"]
        self.expect(authorities in targets, f"{where}: nothing is mounted at {authorities}")
        for name in self.checks.credentials:
            path = f"{image.variables['CREDENTIALS_DIRECTORY']}/{name}"
            self.expect(path in targets, f"{where}: nothing is mounted at {path}")
        self.expect(service["read_only"] is True, f"{where}: the root file system can be written to")
        if service["healthcheck"].get("disable"):
            return
        self.checks.check_command(f"{where}: health check", service["healthcheck"]["test"][1:])
        places = [path.split(":")[0] for path in service["tmpfs"]] + list(targets)
        for name in ["STATE_DIRECTORY", "RUNTIME_DIRECTORY"]:
            parent = str(pathlib.PurePath(image.variables[name]).parent)
            self.expect(parent in places, f"{where}: nothing is mounted at {parent}, in which {name} is")
        grace = int(service["stop_grace_period"].removesuffix("s"))
        self.expect(grace > self.checks.drain, f"{where}: is stopped after {grace} s, within the drain")

    def check_database(self, where, service, targets):
        programs = max(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))
        program = service["healthcheck"]["test"][1]
        self.expect((programs / program).exists(), f"{where}: PostgreSQL has no program {program}")
        self.expect(service["environment"]["NAME"] in self.aliases(service), f"{where}: NAME is no name of it")
        primary = re.fullmatch(r"\$\{PRIMARY:-(.*)\}", service["environment"]["PRIMARY"])
        self.expect(primary and primary.group(1) in DATABASES, f"{where}: PRIMARY is no server")
        paths = {word for word in service["command"] if word.startswith("/")} | {service["environment"]["POSTGRES_PASSWORD_FILE"]}
        for path, source in targets.items():
            if source.startswith("./database"):
                text = (self.checks.example / source).read_text()
                paths |= set(re.findall(r"^[^#-].*?(/etc/postgresql/[\w./-]*\w)", text, re.MULTILINE))
        for path in sorted(paths):
            self.expect(path in targets, f"{where}: nothing is mounted at {path}")


# MARK: Kubernetes


class Kubernetes:
    def __init__(self, checks):
        self.checks, self.expect = checks, checks.expect
        # By kind and name: the keys of what the commands of the page make.
        self.made = {}
        for kind, name, rest in re.findall(
            r"kubectl create (configmap|secret generic) ([\w-]+)((?: --from-file=\S+| \\\n +--from-file=\S+)+)", checks.page
        ):
            files = re.findall(r"--from-file=(\S+)", rest)
            for file in files:
                is_secret = file.startswith("secrets/") and (checks.secrets / pathlib.PurePath(file).name).exists()
                self.expect(is_secret or (checks.example / file).exists(), f"docs/scale-out.md: there is no '{file}'")
            self.made[kind.split()[0], name] = {pathlib.PurePath(file).name for file in files}
        self.files = {
            path.name: list(yaml.safe_load_all(path.read_text())) for path in sorted((checks.example / "kubernetes").glob("*.yaml"))
        }

    def all(self):
        for name, manifests in self.files.items():
            for manifest in manifests:
                where = f"{name}: {manifest['kind']}"
                try:
                    kubernetes_validate.validate(manifest, kubernetes_validate.latest_version(), strict=True)
                except kubernetes_validate.ValidationError as error:
                    self.expect(False, f"{where}: {error.path}: {error.message}")
                if manifest["kind"] in ["StatefulSet", "Job"]:
                    self.check_pod(where, manifest)
        self.check_set({manifest["kind"]: manifest for manifest in self.files["tasks.yaml"]})

    def check_set(self, kinds):
        runners = kinds["StatefulSet"]["spec"]
        labels = runners["template"]["metadata"]["labels"]
        selectors = {
            "StatefulSet": runners["selector"]["matchLabels"],
            "Service": kinds["Service"]["spec"]["selector"],
            "PodDisruptionBudget": kinds["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"],
        }
        for kind, selector in selectors.items():
            self.expect(selector == labels, f"tasks.yaml: {kind}: selects {selector}, the pods have {labels}")
        self.expect(runners["serviceName"] == kinds["Service"]["metadata"]["name"], "tasks.yaml: there is no such service")
        pod = runners["template"]["spec"]
        grace = pod["terminationGracePeriodSeconds"]
        self.expect(grace > self.checks.drain, f"tasks.yaml: is stopped after {grace} s, within the drain")
        container = pod["containers"][0]
        fields = {entry["name"]: entry["valueFrom"]["fieldRef"]["fieldPath"] for entry in container["env"]}
        self.expect(fields.get("COREWIRE_INSTANCE") == "metadata.name", "tasks.yaml: the instance is not the name of the pod")
        for name in ["startupProbe", "readinessProbe", "livenessProbe"]:
            self.checks.check_command(f"tasks.yaml: {name}", container[name]["exec"]["command"])
        volumes = {volume["name"] for volume in pod["volumes"]}
        templates = {template["metadata"]["name"] for template in runners["volumeClaimTemplates"]}
        state = next(mount["name"] for mount in container["volumeMounts"] if mount["mountPath"] == "/var/lib/corewire")
        self.expect(state in templates - volumes, "tasks.yaml: the state does not outlive the pod")

    def check_pod(self, where, manifest):
        pod = manifest["spec"]["template"]["spec"]
        image = self.checks.image
        context = pod["securityContext"]
        self.expect(context["runAsNonRoot"] and context["runAsUser"] == image.user, f"{where}: is not the user of the image")
        container = pod["containers"][0]
        rights = container["securityContext"]
        is_confined = rights["readOnlyRootFilesystem"] and not rights["allowPrivilegeEscalation"]
        self.expect(is_confined and rights["capabilities"] == {"drop": ["ALL"]}, f"{where}: has more rights than it needs")
        words = container.get("command", image.entrypoint) + container.get("args", [])
        self.checks.check_command(where, words)
        present, places = {}, set()
        mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
        sources = {volume["name"]: volume for volume in pod.get("volumes", [])}
        claims = {claim["metadata"]["name"] for claim in manifest["spec"].get("volumeClaimTemplates", [])}
        for name, path in mounts.items():
            if not self.expect(name in sources or name in claims, f"{where}: there is no volume '{name}'"):
                continue
            places.add(path)
            source = sources.get(name, {})
            kind = "configmap" if "configMap" in source else "secret" if "secret" in source else None
            if kind:
                given = source.get("configMap", {}).get("name") or source["secret"]["secretName"]
                keys = self.made.get((kind, given))
                self.expect(keys, f"{where}: docs/scale-out.md makes no {kind} '{given}'")
                present |= {f"{path}/{key}": name for key in keys or []}
        store = self.checks.file["persistence"]["store"]
        needed = {"/etc/corewire/mobile-services.yaml", store["authorities"]} | set(
            re.findall(r"/run/\S+/[\w.-]+", " ".join(words))
        )
        needed |= {f"{image.variables['CREDENTIALS_DIRECTORY']}/{name}" for name in self.checks.credentials}
        for path in sorted(needed):
            self.expect(path in present, f"{where}: nothing is mounted at {path}")
        if words[1:] == ["run"]:
            for name in ["STATE_DIRECTORY", "RUNTIME_DIRECTORY"]:
                parent = str(pathlib.PurePath(image.variables[name]).parent)
                self.expect(parent in places, f"{where}: nothing is mounted at {parent}, in which {name} is")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--root", type=pathlib.Path, default=TOP)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        secrets = pathlib.Path(folder) / "secrets"
        subprocess.run([arguments.root / "Examples" / "scale-out" / "make-secrets", secrets], check=True)
        checks = Checks(arguments.root, arguments.programs, secrets)
        checks.all()
    for problem in checks.problems:
        print(problem)
    return 1 if checks.problems else 0


if __name__ == "__main__":
    sys.exit(main())
