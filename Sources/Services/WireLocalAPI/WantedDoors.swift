import WireBase
import WireConfig
import WireHTTP
import WireService

/// Where the local API listens: what the file asks for, through the sockets somebody has opened for it where there are any.
///
/// Who starts the program with a socket opens it in the place of the file's, and never a further one: what is reachable, and
/// by whom, is the file's to say.
struct WantedDoors {
    typealias Door = (endpoint: Endpoint, address: (host: String, port: Int)?)

    private(set) var all: [Door] = []
    private let settings: LocalAPISection
    private let host: ServiceHost

    /// Throws for a socket that is given and not asked for: to leave it unheard would keep its callers waiting.
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
                throw Fault("descriptor \(socket.descriptor) that was given to this program is no Unix or TCP socket")
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
            "this program was given the socket \((path ?? "without a file").quoted), expected \(expected)",
            at: settings.$socket,
            "api.socket",
            help: "with 'socket: auto' the one that is given is used"
        )
    }

    /// Where the file itself is named by a relative path, so is its folder, and where that starts from is not known here.
    private func isSame(_ path: String?, _ wanted: String) -> Bool {
        guard !wanted.hasPrefix("/") else { return path == wanted }
        let steps = wanted.split(separator: "/").filter { $0 != "." }
        return path?.split(separator: "/").suffix(steps.count).elementsEqual(steps) ?? false
    }

    private func check(_ name: String, _ port: Int) throws(Fault) {
        let given = name.contains(":") ? "[\(name)]:\(port)" : "\(name):\(port)"
        guard let listen = settings.listen?.address else {
            throw Fault(
                "this program was given a socket at \(given), and the file asks for no address",
                help: "set 'listen' of 'api' to '\(given)'"
            )
        }
        let isLoopback = (try? ListenAddress(parsing: given))?.isLoopback ?? false
        let isNamed = listen.host == name || listen.host == "localhost" && isLoopback
        guard isNamed, listen.port == port || listen.port == 0 else {
            throw host.fault(
                "this program was given a socket at \(given), expected \(listen.description)",
                at: settings.$listen,
                "api.listen"
            )
        }
    }
}
