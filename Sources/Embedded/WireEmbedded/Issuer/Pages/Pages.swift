import WireBackends
import WireHTTP

/// The pages of the identity server.
extension Page {
    /// Asks for name and password.
    static func signIn(
        to client: String,
        action: String,
        token: String,
        name: String,
        complaint: String?,
        origin: String?,
        status: Status = .ok
    ) -> Page {
        Page(
            title: "Sign in",
            content: """
                <p class="soft">to go on to \(client.htmlEscaped)</p>
                \(complaint.asComplaint)
                <form method="post" action="\(action.htmlEscaped)">
                \(hidden("token", token))
                \(credentials(name: name))
                <button type="submit">Sign in</button>
                </form>
                """,
            status: status,
            origin: origin
        )
    }

    /// Reports a blocked account, with a link back to the app, which gets the same error.
    static func blocked(_ client: String, next: String?) -> Page {
        let back = next.map { "<a class=\"button\" href=\"\($0.htmlEscaped)\">Back to \(client.htmlEscaped)</a>" }
        return Page(
            title: "This account is blocked",
            content: """
                <p class="bad" role="alert">Account is disabled, contact your administrator.</p>
                \(back ?? "")
                """,
            status: .forbidden,
            next: next
        )
    }

    /// Shows an error that only the user may see.
    static func failure(_ text: String, status: Status = .badRequest) -> Page {
        Page(
            title: "The request failed",
            content: """
                <p class="bad" role="alert">\(text.htmlEscaped)</p>
                <p class="soft">Go back to the app and start again.</p>
                """,
            status: status
        )
    }

    static func notice(_ title: String, _ text: String) -> Page {
        Page(title: title, content: "<p>\(text.htmlEscaped)</p>")
    }

    /// Asks for the code shown on a device.
    static func userCode(action: String, complaint: String?, status: Status = .ok) -> Page {
        Page(
            title: "Connect a device",
            content: """
                <p class="soft">Enter the code the device shows.</p>
                \(complaint.asComplaint)
                <form method="get" action="\(action.htmlEscaped)">
                <label for="user_code">Code</label>
                <input class="code" id="user_code" name="user_code" autocomplete="off" autocapitalize="characters" \
                spellcheck="false" maxlength="20" required autofocus>
                <button type="submit">Continue</button>
                </form>
                """,
            status: status
        )
    }

    /// Asks whether to connect a device, and for the credentials of a user who is not signed in.
    static func device(
        _ client: String,
        code: String,
        action: String,
        token: String,
        user: String?,
        name: String,
        complaint: String?,
        status: Status = .ok
    ) -> Page {
        let who =
            user.map { "<p>as <strong>\($0.htmlEscaped)</strong></p>" } ?? credentials(name: name, isRequired: false)
        return Page(
            title: "Connect \(client)?",
            content: """
                <p class="soft">Continue only if the device in front of you shows the code \(code.htmlEscaped).</p>
                \(complaint.asComplaint)
                <form method="post" action="\(action.htmlEscaped)">
                \(hidden("token", token))
                \(hidden("user_code", code))
                \(who)
                <button type="submit" name="decision" value="allow">Allow</button>
                <button class="other" type="submit" name="decision" value="deny">Deny</button>
                </form>
                """,
            status: status
        )
    }

    /// Asks whether to sign out.
    static func signOut(action: String, token: String, origin: String?) -> Page {
        Page(
            title: "Sign out?",
            content: """
                <p class="soft">You will be signed out of this server.</p>
                <form method="post" action="\(action.htmlEscaped)">
                \(hidden("token", token))
                <button type="submit">Sign out</button>
                </form>
                """,
            origin: origin
        )
    }

    // MARK: Parts

    private static func hidden(_ name: String, _ value: String) -> String {
        "<input type=\"hidden\" name=\"\(name)\" value=\"\(value.htmlEscaped)\">"
    }

    private static func credentials(name: String, isRequired: Bool = true) -> String {
        """
        <label for="username">User name or address</label>
        <input id="username" name="username" value="\(name.htmlEscaped)" autocomplete="username" \
        autocapitalize="none" spellcheck="false"\(isRequired ? " required" : "")\(name.isEmpty ? " autofocus" : "")>
        <label for="password">Password</label>
        <input id="password" name="password" type="password" autocomplete="current-password"\
        \(name.isEmpty ? "" : " autofocus")>
        """
    }
}

extension String? {
    fileprivate var asComplaint: String {
        map { "<p class=\"bad\" role=\"alert\">\($0.htmlEscaped)</p>" } ?? ""
    }
}
