import WireBase
import WireConfig
import WireLocalAPI

/// The parts of a services file by which its runner can be found.
///
/// A file that is not valid still says it: the runner that was started from it goes on running.
package struct RunnerHints: Sendable {
    /// The id of the app, which names the runtime folder.
    package let app: String?
    package let group: String?
    /// The socket paths of all environments, relative to the file's folder.
    package private(set) var paths: [String] = []
    /// Whether any environment uses the default socket.
    package private(set) var isUsual = false
    /// The location that disables a socket; nil where none does.
    package private(set) var off: String?
    /// Whether any environment has a local API.
    package private(set) var hasAPI = false

    package init(_ validation: Validation) {
        let configurations = validation.result.environments.map(\.configuration)
        let app = configurations.firstFound { $0[AppSection.self] }
        self.app = app?.id.text
        group = app?.group?.text
        func place(of node: NodeID?) -> String? {
            guard let document = validation.file?.document, let node else { return nil }
            let place = document.place(node)
            return "\(place.file.name):\(place.start.line):\(place.start.column)"
        }
        for validated in validation.result.environments {
            guard let section = validated.configuration[LocalAPISection.self] else {
                off = off ?? place(of: validation.file?.document.value(LocalAPISection.name, of: validated.root))
                continue
            }
            hasAPI = true
            switch section.socket {
            case .auto: isUsual = true
            case .path(let path):
                let path = Files.path(path, beside: validation.name)
                if !paths.contains(path) { paths.append(path) }
            case .off: off = off ?? place(of: section.$socket.node)
            }
        }
    }
}
