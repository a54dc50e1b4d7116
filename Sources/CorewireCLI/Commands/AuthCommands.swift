import WireAuthContract
import WireBase
import WireConfig
import WireHTTP

/// `corewire auth`: sign-in, sign-out, tokens and the lock.
enum AuthCommands {
    static let auth = Command(
        name: "auth",
        summary: "Sign in and out, show the session, print tokens.",
        subcommands: [login, logout, status, TokenCommand.command, user, lock, unlock, callback, scheme]
    )

    /// Executed by the runner's program, which can draw a QR code and open a browser.
    private static let login = Command(
        name: "login",
        summary: "Sign a user in.",
        discussion: """
            Begins a sign-in as the file declares it, shows the next step, and waits until it is
            done: an address to open in a browser, or a code to enter on another device, as a QR code
            too on a terminal. Where the file has 'flow: addon', an add-on does
            all of it.

            A password is read from standard input, or prompted for on the terminal.

            Exit status: 0 signed in, 1 refused or cancelled.
            """,
        options: RunnerCommands.speaking + [
            .init(
                name: "flow",
                value: "flow",
                help: "browser, device, password or addon. (default: as the file says)",
                values: .words(SignInFlow.words)
            ),
            .init(name: "user", value: "name", help: "The user name, for --flow password."),
            .init(name: "no-open", help: "Show the address only; do not open a browser."),
            .init(name: "no-wait", help: "Show the next step, and do not wait."),
        ],
        isRunners: true
    )

    private static let logout = Command.call(
        "logout",
        AuthCalls.signOut,
        summary: "Sign out, here and at the server.",
        discussion: """
            The tokens are deleted here in any case, and revoked at the server, later where it
            cannot be reached now. Where the server has a session of its own, the address that ends it
            is printed.
            """,
        // The server is asked to revoke the tokens first.
        perform: { client, input, _ in
            try await client.perform(AuthCalls.signOut, input, within: RunnerClient.changeLimit)
        }
    ) { reply, _ in (AuthText.signedOut(reply.answer), .success) }

    private static let status = Command.call(
        "status",
        AuthCalls.status,
        summary: "Show whether a user is signed in, with any problem.",
        discussion: "Exit status: 0 a user is signed in, 1 no user is or the session is locked."
    ) { reply, paint in
        (AuthText(reply.answer, paint).text, reply.answer.state == .signedIn ? .success : .problemsFound)
    }

    private static let user = Command.call(
        "user",
        AuthCalls.user,
        summary: "Show the signed-in user, as the identity server describes them."
    ) { reply, paint in (AuthText.user(reply.answer, paint), .success) }

    // MARK: Locking

    private static let lock = Command.call(
        "lock",
        AuthCalls.lock,
        summary: "Lock the session: withhold tokens and user.",
        discussion: """
            With --set-pin, the PIN that unlocks it is prompted for on the terminal, or read from
            standard input, and replaces the former one.
            """,
        words: ["pin": .hidden, "set-pin": .consumed(.init(name: "set-pin", help: "Set the PIN first."))],
        prepare: { request, invocation in
            guard invocation.flag("set-pin") else { return }
            let pin = try HiddenInput.ask("New PIN, 4 to 12 digits: ")
            if HiddenInput.isTerminal, try HiddenInput.ask("The same again: ").reveal() != pin.reveal() {
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
            The PIN, or where the file says 'method: pam' the password of the account that runs
            corewire, is prompted for on the terminal, or read from standard input.
            """,
        words: ["pin": .hidden, "password": .hidden],
        perform: { client, _, _ in
            // Read first, since the running file decides which secret is needed.
            let lock = try await client.perform(AuthCalls.status, NoInput()).answer.lock
            let request =
                if lock?.method == .pam {
                    UnlockRequest(
                        password: SecretText(try HiddenInput.ask("Password of the account corewire runs as: "))
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
        summary: "Finish a sign-in with the address that the browser was redirected to.",
        discussion: """
            For redirect URIs with a scheme of the app's own: the desktop calls this with the address,
            once 'corewire auth scheme --install' has told it to.
            """,
        words: ["url": .argument("url", "The whole address.")],
        perform: { client, input, _ in
            try await client.perform(AuthCalls.callback, input, within: RunnerClient.changeLimit)
        }
    ) { _, _ in ("signed in\n", .success) }

    /// Executed by the runner's program, which starts programs of the desktop.
    private static let scheme = Command(
        name: "scheme",
        summary: "Print the desktop file that registers the scheme of the redirect URI.",
        discussion: """
            With --install, the file is written to the user's applications, and made the handler of
            addresses with that scheme.
            """,
        options: ConfigFinder.options + [.init(name: "install", help: "Install the file for the desktop.")],
        isRunners: true
    )
}
