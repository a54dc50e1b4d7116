package import WireConfig

/// How apps on this machine reach the runner.
package struct LocalAPISection: Section {
    package static let name = "api"
    package static let summary =
        "The local API for apps on this machine: socket, loopback port, access, limits. There unless the file says 'api: false'."
    package static let isPresentByDefault = true
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
        _socket = keys.value("socket", "The Unix socket: auto, off, or a path.", or: .auto)
        _listen = keys.optional(
            "listen",
            "The loopback address, for the console and for apps that need one; without it there is none.",
            .example("127.0.0.1:7420")
        )
        _tokenFile = keys.optional(
            "tokenFile",
            "The tokens accepted there, one a line; corewire makes one in its runtime folder otherwise.",
            .example("/run/tasks/api-token")
        )
        _access = keys.value(
            "access",
            "Who may use the socket besides root and the runner's own user.",
            or: SocketAccess.placeholder
        )
        _allowedHosts = keys.value(
            "allowedHosts",
            "Names the loopback address may be called by, besides 127.0.0.1, [::1] and localhost.",
            or: [],
            .describedSingle,
            .example("[tasks.localhost]")
        )
        _allowedOrigins = keys.value(
            "allowedOrigins",
            "Web pages that may call it, besides the console.",
            or: [],
            .example("[\"http://localhost:3000\"]")
        )
        _apps = keys.value(
            "apps",
            "Apps with a token of their own, which may use only the namespaces they are given.",
            or: Named(),
            .example("{ kiosk: { token: \"${credential:kiosk-token}\", namespaces: [kiosk] } }")
        )
        _console = keys.value("console", "Whether the console is served at the loopback address.", or: true)
        _limits = keys.value("limits", "How much a caller may ask for.", or: CallerLimits.placeholder)
    }
}
