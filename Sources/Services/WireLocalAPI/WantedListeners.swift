import WireBase
import WireConfig
import WireHTTP
import WireService

/// The sockets that the local API should listen at: those of the file, some inherited from the service manager.
///
/// An inherited socket replaces the file's one and never adds one: the file decides which addresses are reachable and
/// by which callers.
struct WantedListeners {
    typealias Wanted = (endpoint: Endpoint, address: (host: String, port: Int)?)

    private(set) var all: [Wanted] = []
    private let settings: LocalAPISection
    private let host: ServiceHost

    /// Throws for an inherited socket that the file does not declare: its callers would wait for ever.
    init(
        _ settings: LocalAPISection,
        given sockets: [InheritedSocket],
        _ folder: RuntimeFolder,
        _ host: ServiceHost
    ) throws(Fault) {
        self.settings = settings
        self.host = host
        var (hasSocket, hasAddress) = (false, false)
        for socket in sockets {
            let endpoint = Endpoint.inherited(descriptor: socket.descriptor)
            switch socket.place {
            case .unix(let path):
                try check(path)
                hasSocket = true
                all.append((endpoint, nil))
            case .tcp(let name, let port):
                try check(name, port)
                hasAddress = true
                all.append((endpoint, (name, port)))
            case .other:
                throw Fault("the passed descriptor \(socket.descriptor) is not a Unix or TCP socket")
            }
        }
        if !hasSocket, let path = path(in: folder) { all.append((.unix(path: path, mode: mode), nil)) }
        if !hasAddress, let listen = settings.listen?.address {
            all.append((.tcp(host: listen.host, port: listen.port), nil))
        }
    }

    private func path(in folder: RuntimeFolder) -> String? {
        switch settings.socket {
        case .auto: "\(folder.path)/api.sock"
        case .path(let path): Files.path(path, beside: "\(host.folder)/x")
        case .off: nil
        }
    }

    private var mode: UInt32 { settings.access.namesOthers ? 0o666 : 0o600 }

    private func check(_ path: String?) throws(Fault) {
        let expected: String
        switch settings.socket {
        case .auto: return
        case .path(let wanted):
            let wanted = Files.path(wanted, beside: "\(host.folder)/x")
            guard !isSame(path, wanted) else { return }
            expected = wanted.quoted
        case .off: expected = "none"
        }
        throw host.fault(
            "the service manager passed the socket \((path ?? "without a file").quoted), expected \(expected)",
            at: settings.$socket,
            "api.socket",
            help: "use the passed socket with 'socket: auto'"
        )
    }

    /// A relative path has an unknown base here, so only the names are compared.
    private func isSame(_ path: String?, _ wanted: String) -> Bool {
        guard !wanted.hasPrefix("/") else { return path == wanted }
        let steps = wanted.split(separator: "/").filter { $0 != "." }
        return path?.split(separator: "/").suffix(steps.count).elementsEqual(steps) ?? false
    }

    private func check(_ name: String, _ port: Int) throws(Fault) {
        let given = name.contains(":") ? "[\(name)]:\(port)" : "\(name):\(port)"
        guard let listen = settings.listen?.address else {
            throw Fault(
                "the service manager passed a socket at \(given), and the file sets no address",
                help: "set 'api.listen' to '\(given)'"
            )
        }
        let isLoopback = (try? ListenAddress(parsing: given))?.isLoopback ?? false
        let isNamed = listen.host == name || listen.host == "localhost" && isLoopback
        guard isNamed, listen.port == port || listen.port == 0 else {
            throw host.fault(
                "the service manager passed a socket at \(given), expected \(listen.description)",
                at: settings.$listen,
                "api.listen"
            )
        }
    }
}
