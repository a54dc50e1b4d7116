package import WireAuthContract
import WireBase
package import WireConfig
import WireHTTP
import WireService

/// The session as text.
package struct AuthText {
    private let report: AuthReport
    private let paint: Paint

    package init(_ report: AuthReport, _ paint: Paint) { (self.report, self.paint) = (report, paint) }

    package var text: String {
        head + withheld + (report.signIn.map { Self.task($0, paint) } ?? "") + lock + app
            + (report.mode == .app ? "" : Self.trouble(report.trouble, paint)) + pending
    }

    private var head: String {
        // The state and the trouble of the app follow.
        guard report.mode != .app else { return "" }
        return switch report.state {
        case .signedIn: paint("signed in", .good) + "\n"
        case .signingIn: paint("signing in", .warning) + "\n"
        case .locked: paint("locked", .warning) + "; run 'corewire auth unlock'\n"
        case .blocked: paint("blocked", .error) + "\n"
        case .signedOut: "no user is signed in\(why.map { ": \($0)" } ?? "")\n"
        }
    }

    private var why: String? {
        switch report.reason {
        case .user: "the user signed out"
        case .expired: "the session has ended"
        case .wiped: "there were too many wrong unlock attempts"
        case .elsewhere: "another process of the group signed out"
        case .failed: "the sign-in failed"
        case .cancelled: "the sign-in was cancelled"
        case .otherServer: "the file names another server or client now"
        case .blocked, nil: nil
        }
    }

    private var withheld: String {
        guard let withheld = report.withheld else { return "" }
        let (rule, reason) = (withheld.rule.shown(upTo: 400), withheld.reason.shown(upTo: 400))
        return paint("blocked by the security rule '\(rule)': \(reason)", .error) + "\n"
    }

    private var lock: String {
        guard let lock = report.lock else { return "" }
        let obstacle =
            lock.obstacle.map { paint("it could not be unlocked: \($0.shown(upTo: 400))", .error) + "\n" } ?? ""
        guard lock.hasPIN || lock.method == .pam else {
            return "the session does not lock: no PIN is set; run 'corewire auth lock --set-pin'\n"
        }
        guard lock.isLocked else {
            return "locks after \(lock.after.components.seconds) s without use\n" + obstacle
        }
        let (left, wait) = (lock.attemptsLeft, lock.wait.wholeSeconds)
        return "\(left.counted("attempt is", "attempts are")) left\(wait > 0 ? ", the next in \(wait) s" : "")\n"
            + obstacle
    }

    private var app: String {
        guard let app = report.app else { return "" }
        let state = app.state == .signedIn ? "signed in" : app.state == .signingIn ? "signing in" : "not signed in"
        return "the app is \(state)\n" + Self.trouble(app.trouble, paint)
    }

    private var pending: String {
        guard let count = report.pendingRevocations else { return "" }
        return "the server has not yet revoked the tokens of \(count == 1 ? "a session" : "\(count) sessions")\n"
    }

    // MARK: Parts

    /// The next step of a sign-in; `picture` is a QR code of the address with the code.
    package static func task(_ task: SignInReport, _ paint: Paint, picture: String = "") -> String {
        if task.flow == .addon { return "an add-on signs in\n" }
        if let url = task.url { return "open this address in a browser:\n\n  \(url.shown(upTo: 8_192))\n\n" }
        guard let code = task.userCode, let uri = task.verificationURI else { return "" }
        let minutes = (task.expiresIn + 59) / 60
        return """
            open  \(paint(uri.shown(upTo: 2_048), .strong))
            enter \(paint(code.shown(upTo: 400), .strong))

            \(picture)The code is valid for \(minutes) \(minutes == 1 ? "minute" : "minutes").

            """
    }

    /// The problem, in the words of the file where it has some, and the setting at fault.
    private static func trouble(_ trouble: Trouble?, _ paint: Paint) -> String {
        guard let trouble else { return "" }
        let place = trouble.origin.map { "  --> \($0.place.shown(upTo: 400)) (\($0.path.shown(upTo: 400)))\n" }
        return paint(trouble.guidance.shown(upTo: 400), .error) + "\n"
            + "  \(trouble.kind.shown(upTo: 400)): \(trouble.detail.shown(upTo: 400))\n" + (place ?? "")
    }

    static func user(_ user: SignedInUser, _ paint: Paint) -> String {
        var text = paint((user.name ?? user.subject).shown(upTo: 400), .strong) + "\n"
        for (title, value) in [
            ("user name", user.userName), ("address", user.email), ("subject", user.subject), ("issuer", user.issuer),
        ] {
            guard let value = value?.shown(upTo: 400) else { continue }
            text += "  \(title)\(String(repeating: " ", count: 11 - title.count))\(value)\n"
        }
        return text
    }

    static func signedOut(_ end: SignedOut) -> String {
        guard let revocation = end.revocation else { return "no user was signed in\n" }
        var text = "signed out\n" + revocation.text
        if let url = end.endSessionURL?.shown(upTo: 8_192) {
            text += "to sign out at the server as well, open\n\n  \(url.withoutHint)\n"
        }
        return text
    }
}

extension Revocation {
    /// The result of the revocation, unless the server has revoked the tokens.
    fileprivate var text: String {
        switch self {
        case .revoked: ""
        case .notOffered: "the server does not support revocation; the tokens expire by themselves\n"
        case .pending: "the server could not be reached; the revocation is retried\n"
        case .failed: "the revocation failed and is not retried; the tokens expire by themselves\n"
        }
    }
}

extension String {
    /// The address that ends a session, without the ID token: it would stay on the screen, and the server asks the user
    /// instead.
    fileprivate var withoutHint: String {
        guard let question = firstIndex(of: "?") else { return self }
        let items = self[index(after: question)...].split(separator: "&").filter { !$0.hasPrefix("id_token_hint=") }
        return items.isEmpty ? String(self[..<question]) : "\(self[...question])\(items.joined(separator: "&"))"
    }
}
