package import WireConfig

/// The section `api`: the local API for apps on this machine.
package struct LocalAPISection: Section {
    package static let name = "api"
    package static let summary =
        "The local API for apps on this machine: socket, loopback port, access, limits. On unless 'api: false'."
    package static let isPresentByDefault = true
    package static func help(forScalar text: String) -> String? {
        let address = Int(text).map { "127.0.0.1:\($0)" } ?? text
        guard let listen = try? ListenAddress(parsing: address) else { return nil }
        return "to listen on this port, write 'api: { listen: \"\(listen)\" }'"
    }

    package static let codes = Code.localAPICodes

    @Setting package var socket: SocketChoice
    @Setting package var listen: LocalAddress?
    @Setting package var tokenFile: InputFile?
    @Setting package var access: SocketAccess
    @Setting package var allowedHosts: [Host]
    @Setting package var allowedOrigins: [Origin]
    @Setting package var apps: Named<AppAccess>
    @Setting package var console: Bool
    @Setting package var limits: CallerLimits

    package init(_ keys: inout Keys) {
        _socket = keys.value("socket", "Unix socket: auto, off, or a path.", or: .auto)
        _listen = keys.optional(
            "listen",
            "Loopback address for the console and for apps that cannot use the socket. Default: none.",
            .example("127.0.0.1:7420")
        )
        _tokenFile = keys.optional(
            "tokenFile",
            "File of accepted tokens, one per line. Default: a generated file in the runtime folder.",
            .example("/run/tasks/api-token")
        )
        _access = keys.value(
            "access",
            "Callers that may use the socket, besides root and the runner's user.",
            or: SocketAccess.placeholder
        )
        _allowedHosts = keys.value(
            "allowedHosts",
            "Further host names of the loopback address, besides 127.0.0.1, [::1] and localhost.",
            or: [],
            .describedSingle,
            .example("[tasks.localhost]")
        )
        _allowedOrigins = keys.value(
            "allowedOrigins",
            "Origins of web pages that may call the local API, besides the console.",
            or: [],
            .example("[\"http://localhost:3000\"]")
        )
        _apps = keys.value(
            "apps",
            "Apps with tokens of their own and limited rights.",
            or: Named(),
            .example("{ kiosk: { token: \"${credential:kiosk-token}\", namespaces: [kiosk] } }")
        )
        _console = keys.value("console", "Whether the console is served at the loopback address.", or: true)
        _limits = keys.value("limits", "Limits of callers.", or: CallerLimits.placeholder)
    }
}
