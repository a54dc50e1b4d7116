import WireBase
package import WireConfig
import WireService

extension LocalAPISection {
    /// The rules across the keys of the section.
    package func check(_ checks: inout Checks) {
        checks.offer(.callerTokens)
        checkListeners(&checks)
        checkNames(&checks)
        checkAccess(&checks)
        let areKnown = limits.$connectionsPerUser.isWritten && limits.$connections.state != .uncertain
        if areKnown, limits.connectionsPerUser > limits.connections {
            checks.report(
                .connectionLimits,
                at: limits.$connectionsPerUser,
                "api.limits.connectionsPerUser (\(limits.connectionsPerUser)) is more than all connections (\(limits.connections))",
                related: limits.$connections.isWritten ? (limits.$connections, "the limit of all") : nil
            )
        }
    }

    private func checkListeners(_ checks: inout Checks) {
        if let listen, !listen.address.isLoopback {
            checks.report(
                .notLoopback,
                at: $listen,
                "api.listen: \(listen.description.quoted) can be reached from other machines",
                help: "write 127.0.0.1:\(listen.address.port); for other machines, use a reverse proxy with TLS",
                fix: "127.0.0.1:\(listen.address.port)"
            )
        }
        guard $listen.state == .absent else { return }
        if socket == .off {
            checks.report(
                .noListener,
                at: $socket,
                "api has no socket and no 'listen', so no program can reach it",
                help: "write \(setting: "socket: auto"), or \(setting: "api: false") for no local API"
            )
        }
        let forListen: [(String, Place, Bool)] = [
            ("tokenFile", $tokenFile, true), ("allowedHosts", $allowedHosts, !allowedHosts.isEmpty),
            ("allowedOrigins", $allowedOrigins, !allowedOrigins.isEmpty), ("console", $console, console),
        ]
        for (name, place, isWanted) in forListen where place.isWritten && isWanted {
            checks.report(
                .withoutListen,
                at: place,
                "api.\(name) has no effect without 'listen'",
                help: "write \(setting: "listen: 127.0.0.1:7420")"
            )
        }
    }

    private func checkNames(_ checks: inout Checks) {
        for host in allowedHosts where host.isWildcard {
            checks.report(
                .hostWildcard,
                at: $allowedHosts,
                "api.allowedHosts: \(host.description.quoted) is not a single host",
                help: "list each name of the address"
            )
        }
        for origin in allowedOrigins where origin.isReadableOnTheWay {
            checks.report(
                .plainOrigin,
                at: $allowedOrigins,
                "api.allowedOrigins: \(origin.text.quoted) is not encrypted and can be changed on the way",
                help: "write https://, or a page of this machine"
            )
        }
    }

    private func checkAccess(_ checks: inout Checks) {
        if access.write.anyone {
            checks.report(
                .openToAll,
                at: access.write.$anyone,
                "api.access.write.anyone lets every process on this machine get tokens",
                help: "name the user or the group of the app"
            )
        }
        if access.write.anyone, !access.read.isEmpty, access.$read.isWritten {
            checks.report(
                .unusedAccess,
                at: access.$read,
                "api.access.read has no effect, because all users may write",
                related: (access.write.$anyone, "because of this")
            )
        }
        if socket == .off, $access.isWritten {
            checks.report(
                .unusedAccess,
                at: $access,
                "api.access has no effect without a socket",
                related: ($socket, "because of this")
            )
        }
    }
}
