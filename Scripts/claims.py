"""Which suites test which module, and which modules and suites a change concerns."""

import os
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))

# The test targets of a module, or single suites of them by the beginnings of their names. A module that is not here has
# a test target of its own name and no other.
CLAIMS = {
    "Corewire": ["CorewireTests", "CorewireRunnerTests"],
    "CorewireCLI": ["CorewireCLITests", "HouseTests.ConfigFileTests"],
    "CorewireCatalogue": ["CorewireCatalogueTests", "CorewireCLITests", "HouseTests.ConfigFileTests", "WireDialectsTests"],
    "CorewireDevRunnerProgram": ["CorewireRunnerTests"],
    "CorewireEmbedded": ["CorewireTests.CorewireTests", "CorewireTests.OutsideProgram"],
    "CorewireProgram": ["CorewireCLITests"],
    "CorewireRunner": ["CorewireRunnerTests"],
    "CorewireRunnerProgram": ["CorewireRunnerTests.DeployedRunner"],
    "WireAddons": ["WireAddonsTests", "CorewireTests.Addon", "CorewireRunnerTests.Addon"],
    "WireAuth": ["WireAuthTests", "CorewireTests.Auth"],
    "WireBackends": ["WireBackendsTests", "CorewireCatalogueTests"],
    "WireBackground": ["WireBackgroundTests", "CorewireTests.Downloads", "CorewireTests.Tasks", "CorewireTests.Outbox"],
    "WireBase": [
        "WireBaseTests", "WireConfigTests", "WireCryptoTests", "WireHostTests", "WireHTTPTests", "WireJOSETests",
        "WireListenerTests", "WireRuntimeTests", "WireTelemetryTests", "WireTransferTests", "WireYAMLTests",
        "CorewireCLITests",
    ],
    "WireConfig": [
        "WireConfigTests", "WireDialectsTests", "WireYAMLTests", "CorewireCatalogueTests", "CorewireCLITests",
        "HouseTests.ConfigFileTests",
    ],
    "WireContent": ["WireContentTests", "CorewireTests.Content"],
    "WireCrypto": ["WireCryptoTests", "WireJOSETests", "WireSQLiteTests"],
    "WireDBus": ["WireDBusTests", "WireNotificationsTests.Desktop"],
    "WireDevice": ["WireDeviceTests", "CorewireTests.Device"],
    "WireDialects": ["WireDialectsTests"],
    "WireEmbedded": ["WireBackendsTests"],
    "WireFormatting": ["CorewireTests.Formatting", "CorewireRunnerTests.Format", "HouseTests.ConfigFileTests"],
    "WireFraming": ["WireFramingTests", "WireNotificationsTests"],
    "WireGraphQL": ["WireGraphQLTests", "WireSyncTests", "WireBackendsTests", "CorewireCatalogueTests"],
    "WireHTTP": ["WireHTTPTests", "WireListenerTests", "WireTransferTests", "WireNetworkTests"],
    "WireHost": ["WireHostTests", "CorewireRunnerTests.Activation"],
    "WireJOSE": ["WireJOSETests", "WireAuthTests"],
    "WireListener": ["WireListenerTests", "WireBackendsTests"],
    "WireLocalAPI": ["WireLocalAPITests", "CorewireRunnerTests"],
    "WireLocale": ["WireLocaleTests", "CorewireTests.Formatting"],
    "WireMQTT": ["WireMQTTTests", "WireNotificationsTests.MQTT", "FuzzTests"],
    "WireMetrics": ["WireMetricsTests", "CorewireTests.Metrics"],
    "WireNetwork": ["WireNetworkTests", "CorewireTests.Network"],
    "WireNotifications": ["WireNotificationsTests", "CorewireTests.Notifications"],
    "WirePersistence": ["WirePersistenceTests", "CorewireTests.State", "CorewireRunnerTests.State"],
    "WireProbes": ["WireSecurityTests", "CorewireRunnerTests"],
    "WirePostgres": ["WirePostgresTests"],
    "WirePush": ["WirePushTests", "CorewireTests.Push"],
    "WireRuntime": ["WireRuntimeTests", "CorewireTests", "CorewireRunnerTests.Generation"],
    "WireSecrets": ["WireCryptoTests", "WireJOSETests", "WireAuthTests"],
    "WireSecurity": ["WireSecurityTests", "CorewireRunnerTests"],
    "WireService": [
        "WireAddonsTests", "WireBackgroundTests", "WireDBusTests", "WireDeviceTests", "WireLocaleTests", "WireMetricsTests",
        "WireNetworkTests", "WireNotificationsTests", "WirePAMTests", "WirePersistenceTests", "WirePushTests",
        "WireRuntimeTests", "WireSecurityTests", "CorewireTests",
    ],
    "WireSQLite": ["WireSQLiteTests", "WirePersistenceTests"],
    "WireStore": ["WireSQLiteTests", "WirePostgresTests", "WirePersistenceTests", "WireBackgroundTests"],
    "WireSync": ["WireDialectsTests", "CorewireCatalogueTests", "CorewireCLITests", "HouseTests.ConfigFileTests"],
    "WireTelemetry": ["WireTelemetryTests", "WireMetricsTests"],
    "WireTransfer": ["WireTransferTests", "WireNetworkTests"],
    "WireYAML": ["WireYAMLTests", "WireConfigTests", "CorewireCatalogueTests"],
    "WireAddonContract": ["WireAddonsTests", "CorewireTests.Addon"],
    "WireAuthContract": ["WireAuthTests", "CorewireTests.Auth"],
    "WireBackendContract": ["WireBackendsTests"],
    "WireContentContract": ["WireContentTests", "CorewireTests.Content"],
    "WireDeviceContract": ["WireDeviceTests", "CorewireTests.Device"],
    "WireDownloadContract": ["WireBackgroundTests", "CorewireTests.Downloads"],
    "WireFormattingContract": ["WireLocaleTests", "CorewireTests.Formatting"],
    "WireMessageBus": ["WireDBusTests"],
    "WireMetricsContract": ["WireMetricsTests", "CorewireTests.Metrics"],
    "WireNetworkContract": ["WireNetworkTests", "CorewireTests.Network"],
    "WireNotificationContract": ["WireNotificationsTests", "CorewireTests.Notifications"],
    "WirePushContract": ["WirePushTests", "CorewireTests.Push"],
    "WireRunnerContract": ["WireRuntimeTests", "WireLocalAPITests"],
    "WireSecurityContract": ["WireSecurityTests"],
    "WireStateContract": ["WirePersistenceTests", "CorewireTests.State"],
    "WireSyncContract": ["WireSyncTests", "CorewireTests.Sync"],
    "WireWorkContract": ["WireBackgroundTests", "CorewireTests.Outbox", "CorewireTests.Tasks"],
}

# Rules about the repository itself, which any change may break.
ALWAYS = ["HouseTests"]


def claims(module):
    return CLAIMS.get(module, [f"{module}Tests"])


def changed_files():
    """The files that differ from the last commit; where none do, those of the last commit."""
    changed = git("diff", "--name-only", "HEAD") + git("ls-files", "--others", "--exclude-standard")
    return changed or git("diff", "--name-only", "HEAD~1")


def concerned(files):
    """The beginnings of the names of the suites that files concern."""
    found = set(ALWAYS)
    for path in files:
        if match := re.match(r"Sources/(?:Base|Contracts|Edges|Runtime|Services|Backends|Dialects)/(\w+)/", path):
            found.update(claims(match[1]))
        elif match := re.match(r"Sources/(Corewire\w*)/", path):
            found.update(claims(match[1]))
        elif match := re.match(r"Tests/(?:Conformance/)?(\w+)/", path):
            found.update(test_targets_with(match[1]))
    return sorted(found)


def test_targets_with(name):
    """A test target, or those that depend on a target beside them."""
    with open(f"{ROOT}/Package.swift") as file:
        manifest = file.read()
    # What the drivers in Python do is run by a target of their name.
    own = [name] if name.endswith("Tests") else [f"{name}Tests"] if os.path.isdir(f"{ROOT}/Tests/{name}Tests") else []
    entries = re.findall(r'\.testTarget\(\s*name: "(\w+)"(.*?)(?=\.testTarget\(|\Z)', manifest, re.DOTALL)
    return own or [target for target, entry in entries if f'"{name}"' in entry]


def git(*arguments):
    run = subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True)
    return run.stdout.split("\n")[:-1]
