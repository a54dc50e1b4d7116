import WireBase
import WireConfig
import WireLocalAPI

/// What a services file says about where its runner is reached.
///
/// A file that is not valid still says it: the runner that was started from it goes on running.
package struct RunnerHints: Sendable {
    /// The id of the app, by which the runtime folder is named.
    package let app: String?
    package let group: String?
    /// Paths of sockets, as any environment names them, seen from where the file is.
    package private(set) var paths: [String] = []
    /// Whether any environment leaves the socket where it usually is.
    package private(set) var isUsual = false
    /// Where a socket is turned off; nil where none is.
    package private(set) var off: String?
    /// Whether any environment has a local API.
    package private(set) var hasAPI = false

    package init(_ validation: Validation) {
        let configurations = validation.judgement.environments.map(\.configuration)
        let app = configurations.firstFound { $0[AppSection.self] }
        self.app = app?.id.text
        group = app?.group?.text
        func place(of node: NodeID?) -> String? {
            guard let document = validation.file?.document, let node else { return nil }
            let place = document.place(node)
            return "\(place.file.name):\(place.start.line):\(place.start.column)"
        }
        for judged in validation.judgement.environments {
            guard let section = judged.configuration[LocalAPISection.self] else {
                off = off ?? place(of: validation.file?.document.value(LocalAPISection.name, of: judged.root))
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
