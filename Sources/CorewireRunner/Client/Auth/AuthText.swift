import CorewireCLI
import WireBase
import WireConfig

/// How the session is, as people read it.
struct AuthText {
    private let json: JSONValue
    private let paint: Paint

    init(_ json: JSONValue, _ paint: Paint) {
        self.json = json
        self.paint = paint
    }

    var text: String { head + withheld + task + lock + app + Self.trouble(json["trouble"], paint) + pending }

    private var head: String {
        let state = json.line("state") ?? ""
        switch state {
        case "signedIn": return paint("signed in", .good) + "\n"
        case "signingIn": return paint("signing in", .warning) + "\n"
        case "locked": return paint("locked", .warning) + "; corewire auth unlock\n"
        case "blocked": return paint("blocked", .error) + "\n"
        default: return "nobody is signed in\(why.map { ": \($0)" } ?? "")\n"
        }
    }

    private var why: String? {
        switch json.line("reason") {
        case "user": "somebody signed out"
        case "expired": "the session has ended"
        case "wiped": "the lock was tried too often"
        case "elsewhere": "another process of the group signed out"
        case "failed": "signing in did not come about"
        case "cancelled": "signing in was given up"
        case "otherServer": "the file names another server or client now"
        default: nil
        }
    }

    private var withheld: String {
        guard let withheld = json["withheld"] else { return "" }
        let rule = withheld.line("rule") ?? ""
        return paint("withheld by the security rule '\(rule)': \(withheld.line("reason") ?? "")", .error) + "\n"
    }

    private var pending: String {
        guard let count = json["pendingRevocations"]?.integer else { return "" }
        return "the server has not yet taken back the tokens of \(count == 1 ? "a session" : "\(count) sessions")\n"
    }

    /// What became of the tokens where it is more than that the server has taken them back.
    static func revocation(_ word: String) -> String {
        switch word {
        case "revoked": ""
        case "notOffered": "the server takes no tokens back; they end by themselves\n"
        case "pending": "the server could not be told; it is tried again until it has taken the tokens back\n"
        default: "the server could not be told, and is not tried again; the tokens end by themselves\n"
        }
    }

    private var task: String {
        guard let task = json["signIn"] else { return "" }
        return SignInText(task, paint, showsCode: false).text
    }

    private var lock: String {
        guard let lock = json["lock"] else { return "" }
        let obstacle = lock.line("obstacle").map { paint("it could not be unlocked: \($0)", .error) + "\n" } ?? ""
        guard lock["pinSet"]?.boolean == true || lock.line("method") == "pam" else {
            return "it does not lock: there is no PIN; corewire auth lock --set-pin\n"
        }
        guard lock["locked"]?.boolean == true else {
            return "locks after \(lock["after"]?.integer ?? 0) s without use\n" + obstacle
        }
        let left = lock["attemptsLeft"]?.integer ?? 0
        let wait = lock["wait"]?.integer ?? 0
        return "\(left) \(left == 1 ? "attempt is" : "attempts are") left\(wait > 0 ? ", the next in \(wait) s" : "")\n"
            + obstacle
    }

    private var app: String {
        guard let app = json["app"], let state = app.line("state") else { return "" }
        return "the app: \(state == "signedIn" ? "signed in" : state)\n" + Self.trouble(app["trouble"], paint)
    }

    /// What goes wrong, in the words of the file where it has some, and which value it comes from.
    static func trouble(_ trouble: JSONValue?, _ paint: Paint) -> String {
        guard let trouble, let guidance = trouble.line("guidance") else { return "" }
        var text = paint(guidance, .error) + "\n"
        if let detail = trouble.line("detail") { text += "  \(trouble.line("kind") ?? ""): \(detail)\n" }
        if let config = trouble["config"], let place = config.line("place") {
            text += "  --> \(place)\(config.line("path").map { " (\($0))" } ?? "")\n"
        }
        return text
    }

    static func user(_ json: JSONValue, _ paint: Paint) -> String {
        var text = paint(json.line("name") ?? json.line("subject") ?? "", .strong) + "\n"
        for (title, name) in [
            ("user name", "userName"), ("address", "email"), ("subject", "subject"), ("issuer", "issuer"),
        ] {
            guard let value = json.line(name) else { continue }
            text += "  \(title)\(String(repeating: " ", count: 11 - title.count))\(value)\n"
        }
        return text
    }
}
