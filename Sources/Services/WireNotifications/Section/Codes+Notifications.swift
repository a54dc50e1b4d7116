import WireConfig

/// Notifications: CW13.
extension Code {
    static let noAction = Code(
        "CW1301",
        "no-action",
        .error,
        """
        A handler, or a button, that does nothing is most often one whose action was misplaced. A handler has at least one \
        of 'refetch', 'download', 'state', 'log', 'present', 'exec', 'post' and 'open'; several are done in that order. A \
        button has 'open', \
        'exec' or 'post'.
        """
    )
    static let actionAtWrongMoment = Code(
        "CW1302",
        "action-at-wrong-moment",
        .error,
        """
        'present' and 'buttons' say how a notification for people is shown, which happens 'on: presentable'. 'open' follows a \
        link, which happens when a person asks for it: 'on: tap'. The other actions may be taken at any moment.
        """
    )
    static let unknownButton = Code(
        "CW1303",
        "unknown-button",
        .error,
        """
        Buttons are declared under 'notifications.buttons', with what they say and do; handlers show them by name.
        """
    )
    static let tooManyButtons = Code(
        "CW1304",
        "too-many-buttons",
        .error,
        """
        A notification shows at most three buttons; desktops and phones leave out the others.
        """
    )
    static let unusedButton = Code(
        "CW1305",
        "unused-button",
        .warning,
        """
        A button appears when a handler with 'present' names it. No handler names this one.
        """
    )
    static let refusedScheme = Code(
        "CW1306",
        "refused-scheme",
        .error,
        """
        Notifications come from outside, and a link can make other programs act. So only links whose scheme is listed in \
        'notifications.links.schemes' are opened; https is listed from the start, and your own scheme can be added.
        """
    )
    static let linkNotPassed = Code(
        "CW1307",
        "link-not-passed",
        .error,
        """
        'notifications.links.exec' is run for each link that is opened. The link takes the place of {{ link }} in one of \
        its arguments: [xdg-open, "{{ link }}"].
        """
    )
    static let unknownOperation = Code(
        "CW1308",
        "unknown-operation",
        .error,
        """
        'refetch' names queries that the service 'sync' knows from the files of 'sync.operations'. The name is the one \
        behind the word 'query' in the file.
        """
    )
    static let nowhereToDownload = Code(
        "CW1309",
        "nowhere-to-download",
        .error,
        """
        Files are fetched by the service 'background', which goes on after a restart. It puts them where \
        'background.downloads.directory' says, and without that it fetches nothing.
        """
    )
    static let unguardedVariable = Code(
        "CW1310",
        "unguarded-variable",
        .warning,
        """
        A template asks for a field of the payload, and nothing says that the field is there. The handler then runs, and \
        fails, for notifications without it.

        Name the field under 'when', so that only notifications with it are handled, or give a value for the others: \
        {{ name | default: "friend" }}. 'id', 'title' and 'body' are always there.
        """
    )
    static let duplicateSink = Code(
        "CW1311",
        "duplicate-sink",
        .warning,
        """
        What is presented appears once in each place; naming a place twice changes nothing.
        """
    )
    static let unusedSinks = Code(
        "CW1312",
        "unused-sinks",
        .warning,
        """
        'sinks' says where notifications appear. Whether one appears at all is decided by the handlers with 'present', and \
        there is none.
        """
    )

    static let nowhereToStore = Code(
        "CW1313",
        "nowhere-to-store",
        .error,
        """
        What handlers store with 'state' is stored among what apps store, by the service 'persistence'. A section \
        'persistence' may be empty: then its limits are the usual ones.
        """
    )
    static let nothingSigned = Code(
        "CW1314",
        "nothing-signed",
        .error,
        """
        'sign' is the secret that posts are signed with, so that whoever receives them knows whose they are. It says \
        nothing without 'post'.
        """
    )

    static let streamAddress = Code(
        "CW1315",
        "stream-address",
        .error,
        """
        A stream of 'type: webSocket' has an address that begins with wss://, or with ws:// on this machine; server-sent \
        events come over https://. A path relative to the base URL of the environment is right for both.
        """
    )
    static let notOfThisStream = Code(
        "CW1316",
        "not-of-this-stream",
        .error,
        """
        Server-sent events go one way, and have names of their own: nothing is said to the server after the request. \
        What is said, subprotocols, keep-alive, and the fields of messages are of streams with 'type: webSocket'.
        """
    )
    static let resumeNotOneWay = Code(
        "CW1317",
        "resume-not-one-way",
        .error,
        """
        'resume' says how a server is told the name of what came last, so that it goes on behind it: in a header field, in \
        the query of the URL, or on a WebSocket in a message. It is one of them.
        """
    )
    static let streamHeader = Code(
        "CW1318",
        "stream-header",
        .error,
        """
        Some header fields follow from the request itself: its connection, its handshake, the token it carries. A second \
        value would make servers reject the request, or worse, accept it. A field is given once, in 'headers' or in \
        'secretHeaders'.
        """
    )
    static let openStreamHeader = Code(
        "CW1319",
        "open-stream-header",
        .warning,
        """
        What a file says in clear is shown in logs, plans and differences. Fields such as API keys, tokens and cookies \
        belong under 'secretHeaders', whose values are never shown, best as a reference: ${env:API_KEY}.
        """
    )
    static let streamVariable = Code(
        "CW1320",
        "stream-variable",
        .error,
        """
        What is said on a WebSocket before anything has come can hold the name of what came last, and nothing else; and the \
        first time nothing has come. 'acknowledge' can hold the fields of the message it answers.
        """
    )
    static let tooManyStreams = Code(
        "CW1321",
        "too-many-streams",
        .error,
        """
        Each stream holds a connection for as long as it is read, and only so many to one host stand at once: with more \
        streams all other requests to that host would wait for one. One stream can bring what is told apart by 'when'.
        """
    )

    static let notificationsCodes: [Code] = [
        noAction, actionAtWrongMoment, unknownButton, tooManyButtons, unusedButton, refusedScheme, linkNotPassed,
        unknownOperation, nowhereToDownload, unguardedVariable, duplicateSink, unusedSinks,
        nowhereToStore, nothingSigned, streamAddress, notOfThisStream, resumeNotOneWay, streamHeader, openStreamHeader,
        streamVariable, tooManyStreams,
    ]
}
