import WireBase
import WireHTTP
import WireSecrets
import WireSecurityContract
import WireService

/// The findings of one check.
struct RuleFindings: Sendable {
    /// The detected items with their places; empty where all is clear.
    var evidence: [String] = []
    /// The detected items that are allowed, with reasons.
    var allowed: [String] = []
    /// The parts that could not be checked.
    var doubts: [String] = []

    static let clear = RuleFindings()

    /// Adds the findings at one place; a place that cannot be checked does not affect the others.
    mutating func gather(_ check: () throws(Fault) -> [String]) {
        do throws(Fault) {
            evidence += try check()
        } catch {
            doubts.append(error.reason)
        }
    }

    /// Separates allowed items from others.
    mutating func add<Item>(_ found: [(name: String, evidence: String)], allowing list: [Allowed<Item>])
    where Item: CustomStringConvertible {
        for (name, words) in found {
            guard let pass = list.first(where: { $0.item.description == name }) else {
                evidence.append(words)
                continue
            }
            allowed.append(pass.reason.map { "\(words): \($0)" } ?? words)
        }
    }
}

/// The surroundings of rules.
struct RuleContext: Sendable {
    let probes: any MachineProbes
    /// The files and folders of corewire itself.
    let ownFiles: OwnPlaces
    let host: ServiceHost
    let versions: any VersionAsking

    /// The running services file.
    let integrity: FileIntegrity
}

/// The files and folders of corewire itself.
struct OwnPlaces: Sendable {
    let program: String
    let files: [String]
    let state: String
    let runtime: String?

    /// All of them, with descriptions.
    var all: [(what: String, path: String)] {
        [("the program", program)] + files.map { ("the services file", $0) } + [("the store", state)]
            + (runtime.map { [("the runtime folder", $0)] } ?? [])
    }
}

extension RuleContext {
    /// The surroundings of a generation; nil in a program that only describes services.
    init?(_ host: ServiceHost) {
        guard let probes = host.find(.machineProbes), let fileIntegrity = host.find(.fileIntegrity) else { return nil }
        let integrity = fileIntegrity.integrity()
        self.init(
            probes: probes,
            ownFiles: OwnPlaces(
                program: (try? probes.program().path) ?? "",
                files: integrity.files,
                state: integrity.state,
                runtime: host.find(.runtimeFolder)?.path
            ),
            host: host,
            versions: MobileSecurityService(host: host, probes: probes),
            integrity: integrity
        )
    }
}
