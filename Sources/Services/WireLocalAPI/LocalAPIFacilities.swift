import WireBase
import WireConfig
import WireHTTP
import WireRunnerContract
import WireSecrets
import WireService

/// The parts of the local API that the program provides.
struct LocalAPIFacilities: Sendable {
    let control: any RunnerControl
    let dispatcher: any RequestDispatcher
    let listenerFactory: any ListenerFactory
    let accounts: any Accounts
    let secrecy: any CryptoProvider
    let files: any PrivateFiles
    let folder: RuntimeFolder

    init(_ host: ServiceHost) throws {
        guard let control = host.find(.runnerControl), let front = host.find(.requestDispatcher),
            let listenerFactory = host.find(.listenerFactory), let accounts = host.find(.accounts),
            let secrecy = host.find(.secrecy), let files = host.find(.privateFiles),
            let folder = host.find(.runtimeFolder)
        else { throw MissingCapability("this program cannot open sockets") }
        self.control = control
        self.dispatcher = front
        self.listenerFactory = listenerFactory
        self.accounts = accounts
        self.secrecy = secrecy
        self.files = files
        self.folder = folder
    }

    /// The tokens of the file, or the runner's own one for programs of the same user.
    func tokens(_ settings: LocalAPISection, _ host: ServiceHost) throws -> APITokens {
        var tokens = settings.apps.items.map { item in
            let access: Route.Access = item.value.access == .read ? .read : .write
            var allowed = TokenRights(
                modes: item.value.tokens.map(\.rawValue),
                scopes: item.value.scopes.map { $0.map(\.text) }
            )
            allowed.origin = host.places.origin(of: item.namePlace, "api.apps.\(item.name)")
            return (
                token: item.value.token,
                rights: Rights(
                    access: access,
                    namespaces: item.value.namespaces.map(\.text),
                    tokens: allowed,
                    account: "app \(item.name)"
                )
            )
        }
        guard settings.listen != nil else { return APITokens(tokens) }
        if let file = settings.tokenFile {
            let path = Files.path(file.path, beside: "\(host.folder)/x")
            tokens += try lines(of: path, host, settings).map { (Secret($0), .everything("token")) }
        } else {
            tokens.append((try ownToken(), .everything("token")))
        }
        return APITokens(tokens)
    }

    private func lines(of path: String, _ host: ServiceHost, _ settings: LocalAPISection) throws -> [String] {
        let bytes: [UInt8]?
        do {
            bytes = try files.read(path, upTo: .kibibytes(64))
        } catch {
            let fault = error as? Fault ?? Fault("\(error)")
            let reason = "the tokens cannot be read: \(fault.reason)"
            throw host.fault(reason, at: settings.$tokenFile, "api.tokenFile", help: fault.help)
        }
        guard let bytes else {
            throw host.fault("the file \(path.quoted) does not exist", at: settings.$tokenFile, "api.tokenFile")
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
        guard !lines.isEmpty else {
            throw host.fault(
                "the token file is empty, expected one token a line",
                at: settings.$tokenFile,
                "api.tokenFile",
                help: Self.howToMakeOne
            )
        }
        guard let short = lines.first(where: { $0.utf8.count < 32 }) else { return lines }
        throw host.fault(
            "a token has at least 32 characters, one has \(short.utf8.count)",
            at: settings.$tokenFile,
            "api.tokenFile",
            help: Self.howToMakeOne
        )
    }

    private static let howToMakeOne = "generate one with: openssl rand -hex 32"

    /// The runner's token, created once and stored where only this user can read it.
    private func ownToken() throws -> Secret<String> {
        let path = "\(folder.path)/api-token"
        if let bytes = try files.read(path, upTo: .kibibytes(1)), bytes.count >= 64 {
            return Secret(String(decoding: bytes.prefix(64), as: UTF8.self))
        }
        let token = Hexadecimal.text(of: try secrecy.random(32))
        try files.write(Array("\(token)\n".utf8), to: path)
        return Secret(token)
    }
}
