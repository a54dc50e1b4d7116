import WireBase
import WireHTTP
import WireService

extension ServiceInstance {
    /// The routes of a service that waits for a user; they respond with the reason.
    func vacantRoutes(_ presence: (any UserPresence)?) -> [Route] {
        guard let type else { return [] }
        return type.operations.map { operation in
            Route(operation, .snapshot { _ in throw self.vacancy(presence) })
        }
    }

    /// The problem that explains why the service does not run.
    private func vacancy(_ presence: (any UserPresence)?) -> Problem {
        if case .failed(let fault) = current {
            var problem = Problem(
                .unavailable,
                "service-unavailable",
                "the service is not running",
                detail: fault.reason,
                fields: ["Retry-After": "5"]
            )
            problem.origin = fault.origin
            return problem
        }
        guard let presence, presence.user == nil else {
            return Problem(
                .unavailable,
                "service-unavailable",
                "the service is not running yet",
                detail: current.reason ?? "it starts",
                fields: ["Retry-After": "1"]
            )
        }
        let absence = presence.absence
        guard absence.kind != .withheld else {
            return Problem(.forbidden, "distrusted", "this machine is not trusted", detail: absence.reason)
        }
        return Problem(
            .unauthorized,
            "signed-out",
            absence.reason,
            detail: absence.help,
            // 401 responses need a challenge (RFC 9110, section 15.5.2); the user is missing, not the caller's token.
            fields: ["WWW-Authenticate": "Corewire-Sign-In"]
        )
    }
}
