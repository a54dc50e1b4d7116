import WireBase
import WireHTTP
import WireSecrets
import WireSecurityContract
import WireService

/// What one look came to.
struct Sighting: Sendable {
    /// What was found, each with where; none where all is clear.
    var evidence: [String] = []
    /// What was found and is welcome, with why.
    var allowed: [String] = []
    /// What could not be seen.
    var doubts: [String] = []

    static let clear = Sighting()

    /// Takes in what is found at one place; that the place cannot be seen leaves the others.
    mutating func gather(_ look: () throws(Fault) -> [String]) {
        do throws(Fault) {
            evidence += try look()
        } catch {
            doubts.append(error.reason)
        }
    }

    /// Sorts what was found into what is welcome and what is not.
    mutating func judge<Item>(_ found: [(name: String, evidence: String)], allowing list: [Allowed<Item>])
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

/// What rules look at.
struct Scene: Sendable {
    let probes: any MachineProbes
    /// Files and folders of corewire's own.
    let own: OwnPlaces
    let host: ServiceHost
    let versions: any VersionAsking

    /// The services file as it is taken to run.
    let standing: FileStanding
}

/// Files and folders of corewire's own.
struct OwnPlaces: Sendable {
    let program: String
    let files: [String]
    let state: String
    let runtime: String?

    /// All of them, with what they are.
    var all: [(what: String, path: String)] {
        [("the program", program)] + files.map { ("the services file", $0) } + [("the store", state)]
            + (runtime.map { [("the runtime folder", $0)] } ?? [])
    }
}

extension Scene {
    /// The scene of a generation; nil where nothing can be looked at, as in a program that only describes.
    init?(_ host: ServiceHost) {
        guard let probes = host.find(.machineProbes), let standings = host.find(.fileStandings) else { return nil }
        let standing = standings.standing()
        self.init(
            probes: probes,
            own: OwnPlaces(
                program: (try? probes.program().path) ?? "",
                files: standing.files,
                state: standing.state,
                runtime: host.find(.runtimeFolder)?.path
            ),
            host: host,
            versions: MobileSecurityService(host: host, probes: probes),
            standing: standing
        )
    }
}
