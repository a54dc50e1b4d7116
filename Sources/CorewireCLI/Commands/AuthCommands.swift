import WireAuthContract
import WireBase
import WireConfig
import WireHTTP

/// `corewire auth`: sign-in, sign-out, tokens and the lock.
enum AuthCommands {
    static let auth = Command(
        name: "auth",
        summary: "Sign in and out, show the session, and print tokens.",
        subcommands: [login, logout, status, TokenCommand.command, user, lock, unlock, callback, scheme]
    )

    /// Executed by the runner's program, which can draw a QR code and open a browser.
    private static let login = Command(
        name: "login",
        summary: "Sign a user in.",
        discussion: """
            Starts a sign-in with the flow of the services file, prints the next step, and waits for
            the result. The next step is a URL to open in a browser, or a code to enter on another
            device; a terminal also shows a QR code. With 'flow: addon', an add-on signs the user
            in.

            The password is read from standard input, or prompted for on a terminal.

            Exit status: 0 signed in, 1 rejected or cancelled.
            """,
        options: RunnerCommands.outputOptions + [
            .init(
                name: "flow",
                value: "flow",
                help: "browser, device, password or addon. (default: from the services file)",
                values: .words(SignInFlow.words)
            ),
            .init(name: "user", value: "name", help: "The user name, for --flow password."),
            .init(name: "no-open", help: "Print the URL, and do not open a browser."),
            .init(name: "no-wait", help: "Print the next step, and do not wait."),
        ],
        runnerProgram: .signIn
    )

    private static let logout = Command.call(
        "logout",
        AuthCalls.signOut,
        summary: "Sign out, and revoke the tokens at the server.",
        discussion: """
            Deletes the tokens on this machine, and revokes them at the server; if the server cannot
            be reached, the revocation is retried. If the server has its own session, prints the URL
            that ends it.
            """,
        // The server is asked to revoke the tokens first.
        perform: { client, input, _ in
            try await client.perform(AuthCalls.signOut, input, within: RunnerClient.changeLimit)
        }
    ) { reply, _ in (AuthText.signedOut(reply.answer), .success) }

    private static let status = Command.call(
        "status",
        AuthCalls.status,
        summary: "Show the state of the session.",
        discussion: "Exit status: 0 signed in, 1 signed out or locked."
    ) { reply, paint in
        (AuthText(reply.answer, paint).text, reply.answer.state == .signedIn ? .success : .problemsFound)
    }

    private static let user = Command.call(
        "user",
        AuthCalls.user,
        summary: "Show the signed-in user, with the claims of the identity server."
    ) { reply, paint in (AuthText.user(reply.answer, paint), .success) }

    // MARK: Locking

    private static let lock = Command.call(
        "lock",
        AuthCalls.lock,
        summary: "Lock the session.",
        discussion: """
            Blocks tokens and user data until the session is unlocked. With --set-pin, a new PIN is
            read from standard input, or prompted for on a terminal.
            """,
        words: ["pin": .hidden, "set-pin": .consumed(.init(name: "set-pin", help: "Set a new PIN first."))],
        prepare: { request, invocation in
            guard invocation.flag("set-pin") else { return }
            let pin = try HiddenInput.ask("New PIN, 4 to 12 digits: ")
            if HiddenInput.isTerminal, try HiddenInput.ask("Repeat the PIN: ").reveal() != pin.reveal() {
                throw Failure(message: "the two PINs differ; nothing was changed", status: .problemsFound)
            }
            request.pin = SecretText(pin)
        }
    ) { _, _ in ("locked\n", .success) }

    private static let unlock = Command.call(
        "unlock",
        AuthCalls.unlock,
        summary: "Unlock the session.",
        discussion: """
            The PIN is read from standard input, or prompted for on a terminal. With 'method: pam',
            it is the password of the account that runs corewire.
            """,
        words: ["pin": .hidden, "password": .hidden],
        perform: { client, _, _ in
            // Read first, since the running file decides which secret is needed.
            let lock = try await client.perform(AuthCalls.status, NoInput()).answer.lock
            let request =
                if lock?.method == .pam {
                    UnlockRequest(
                        password: SecretText(try HiddenInput.ask("Password of the account that runs corewire: "))
                    )
                } else {
                    UnlockRequest(pin: SecretText(try HiddenInput.ask("PIN: ")))
                }
            return try await client.perform(AuthCalls.unlock, request, within: RunnerClient.changeLimit)
        }
    ) { _, _ in ("unlocked\n", .success) }

    // MARK: Callbacks

    private static let callback = Command.call(
        "callback",
        AuthCalls.callback,
        summary: "Finish a sign-in with the redirect URL of the browser.",
        discussion: """
            For redirect URIs with a custom scheme: the desktop runs this command with the URL,
            after 'corewire auth scheme --install'.
            """,
        words: ["url": .argument("url", "The complete URL.")],
        perform: { client, input, _ in
            try await client.perform(AuthCalls.callback, input, within: RunnerClient.changeLimit)
        }
    ) { _, _ in ("signed in\n", .success) }

    /// Executed by the runner's program, which starts programs of the desktop.
    private static let scheme = Command(
        name: "scheme",
        summary: "Print the desktop entry that registers the scheme of the redirect URI.",
        discussion: """
            With --install, the entry is written to the user's applications, and becomes the handler
            of URLs with the scheme.
            """,
        options: ConfigFinder.options + [.init(name: "install", help: "Install the desktop entry.")],
        runnerProgram: .registerScheme
    )
}
