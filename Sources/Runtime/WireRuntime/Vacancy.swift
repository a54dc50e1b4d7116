import WireBase
import WireHTTP
import WireService

extension ServiceCell {
    /// The routes of a service that waits for a user: they are there, and say why nobody answers.
    func vacantRoutes(_ presence: (any UserPresence)?) -> [Route] {
        guard let type else { return [] }
        return type.operations.map { operation in
            Route(operation, .snapshot { _ in throw self.vacancy(presence) })
        }
    }

    /// Why it does not answer, at this moment.
    private func vacancy(_ presence: (any UserPresence)?) -> Problem {
        if case .failed(let fault) = current {
            var problem = Problem(
                .unavailable,
                "service-unavailable",
                "the service does not run",
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
                "the service does not run yet",
                detail: current.reason ?? "it starts",
                fields: ["Retry-After": "1"]
            )
        }
        let absence = presence.absence
        guard absence.kind != .withheld else {
            return Problem(.forbidden, "distrusted", "this machine is not trusted now", detail: absence.reason)
        }
        return Problem(
            .unauthorized,
            "signed-out",
            absence.reason,
            detail: absence.help,
            // A challenge must be there (RFC 9110, section 15.5.2); what is missing is a user, not the caller's token.
            fields: ["WWW-Authenticate": "Corewire-Sign-In"]
        )
    }
}
