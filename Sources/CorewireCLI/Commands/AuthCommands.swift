import WireBase

/// Signing in and out from the command line: declared here, done by the runner's program.
enum AuthCommands {
    static let auth = Command(
        name: "auth",
        summary: "Sign in and out, show who is signed in, hand out tokens.",
        subcommands: [login, logout, status, token, user, lock, unlock, callback, scheme]
    )

    private static let login = Command(
        name: "login",
        summary: "Sign a user in.",
        discussion: """
            Begins a sign-in as the file declares it, shows what to do for it, and waits until it is
            done: an address to open in a browser, or a code to enter on another device, as a QR code
            too where a terminal is there to show one. Where the file has 'flow: addon', an add-on does
            all of it.

            A password is read from standard input, or asked for on the terminal.

            Exit status: 0 signed in, 1 refused or given up, 69 no runner answers.
            """,
        options: RunnerCommands.speaking + [
            .init(
                name: "flow",
                value: "flow",
                help: "browser, device, password or addon. (default: as the file says)",
                values: .words(["browser", "device", "password", "addon"])
            ),
            .init(name: "user", value: "name", help: "Who signs in, for --flow password."),
            .init(name: "no-open", help: "Show the address only; do not open a browser."),
            .init(name: "no-wait", help: "Show what to do, and do not wait for it."),
        ],
        isRunners: true
    )

    private static let logout = Command(
        name: "logout",
        summary: "Sign out, here and at the server.",
        discussion: """
            The tokens are forgotten here in any case, and taken back by the server, later where it
            cannot be reached now. Where the server has a session of its own, the address that ends it
            is printed.
            """,
        options: RunnerCommands.speaking,
        isRunners: true
    )

    private static let status = Command(
        name: "status",
        summary: "Show whether somebody is signed in, and what goes wrong.",
        discussion: "Exit status: 0 somebody is signed in, 1 nobody is or the session is locked.",
        options: RunnerCommands.speaking,
        isRunners: true
    )

    private static let token = Command(
        name: "token",
        summary: "Print an access token that is good for a while.",
        discussion: """
            The token and nothing else is on standard output, so that it can be passed on without
            being seen: curl -H "Authorization: Bearer $(corewire auth token)" …

            With --refused, a token that a server has refused is read from standard input, and
            renewed where it is still the present one: echo "$token" | corewire auth token --refused
            """,
        options: RunnerCommands.speaking + [
            .init(name: "min-ttl", value: "duration", help: "How much longer it must be good. (default: 30s)"),
            .init(
                name: "mode",
                value: "mode",
                help: "app, appPlus or user. (default: as the file says)",
                values: .words(["app", "appPlus", "user"])
            ),
            .init(name: "refused", help: "Renew the token that standard input has."),
        ],
        isRunners: true
    )

    private static let user = Command(
        name: "user",
        summary: "Show who is signed in, as the identity server has said.",
        options: RunnerCommands.speaking,
        isRunners: true
    )

    private static let lock = Command(
        name: "lock",
        summary: "Withhold tokens and user until they are unlocked.",
        discussion: """
            With --set-pin, the PIN that unlocks them is asked for on the terminal, or read from
            standard input, and replaces the former one.
            """,
        options: RunnerCommands.speaking + [.init(name: "set-pin", help: "Set the PIN first.")],
        isRunners: true
    )

    private static let unlock = Command(
        name: "unlock",
        summary: "Open the lock.",
        discussion: """
            The PIN, or where the file says 'method: pam' the password of the account that runs
            corewire, is asked for on the terminal, or read from standard input.
            """,
        options: RunnerCommands.speaking,
        isRunners: true
    )

    private static let callback = Command(
        name: "callback",
        summary: "Finish a sign-in with the address the browser was sent to.",
        discussion: """
            For redirect URIs with a scheme of the app's own: the desktop calls this with the address,
            once 'corewire auth scheme --install' has told it to.
            """,
        arguments: [.init(name: "url", help: "The whole address.")],
        options: RunnerCommands.speaking,
        isRunners: true
    )

    private static let scheme = Command(
        name: "scheme",
        summary: "Print the desktop file that registers the scheme of the redirect URI.",
        discussion: """
            With --install it is written to the user's applications, and made the one that opens
            addresses of that scheme.
            """,
        options: ConfigFinder.options + [.init(name: "install", help: "Write it where desktops look.")],
        isRunners: true
    )
}
