import WireConfig

/// Notifications: CW13.
extension Code {
    static let noAction = Code(
        "CW1301",
        "no-action",
        .error,
        """
        A handler, or a button, without an action has no effect; usually the action is at the wrong place. A handler \
        has at least one of 'refetch', 'download', 'state', 'log', 'present', 'exec', 'post' and 'open', performed in \
        that order. A button has 'open', 'exec' or 'post'.
        """
    )
    static let actionAtWrongMoment = Code(
        "CW1302",
        "action-at-wrong-moment",
        .error,
        """
        'present' and 'buttons' control how a notification is shown, which happens at 'on: presentable'. 'open' \
        opens a link when the user taps: 'on: tap'. The other actions may be used at any moment.
        """
    )
    static let unknownButton = Code(
        "CW1303",
        "unknown-button",
        .error,
        """
        Buttons are declared under 'notifications.buttons' with their labels and actions; handlers refer to them by \
        name.
        """
    )
    static let tooManyButtons = Code(
        "CW1304",
        "too-many-buttons",
        .error,
        """
        A notification shows at most three buttons; desktops and phones omit the others.
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
        Notifications come from outside, and a link can start other programs. So only links whose scheme is listed \
        in 'notifications.links.schemes' are opened; https is listed by default, and your own scheme can be added.
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
        'refetch' names queries from the files of 'sync.operations'. Use the name that follows the keyword 'query' in \
        the file.
        """
    )
    static let nowhereToDownload = Code(
        "CW1309",
        "nowhere-to-download",
        .error,
        """
        Files are downloaded by the service 'background', which resumes after a restart. They are stored in \
        'background.downloads.directory'; without that setting nothing is downloaded.
        """
    )
    static let unguardedVariable = Code(
        "CW1310",
        "unguarded-variable",
        .warning,
        """
        A template uses a field of the payload that a notification may lack. The handler fails for notifications \
        without the field.

        Require the field under 'when', or set a default: {{ name | default: "friend" }}. 'id', 'title' and 'body' are \
        always present.
        """
    )
    static let duplicateSink = Code(
        "CW1311",
        "duplicate-sink",
        .warning,
        """
        A sink is listed twice. A notification is shown once in each sink.
        """
    )
    static let unusedSinks = Code(
        "CW1312",
        "unused-sinks",
        .warning,
        """
        'sinks' has no effect without a handler with 'present', which shows notifications.
        """
    )

    static let nowhereToStore = Code(
        "CW1313",
        "nowhere-to-store",
        .error,
        """
        'state' stores values in the app's store, which belongs to the service 'persistence'. Add the section \
        'persistence'; an empty section uses the defaults.
        """
    )
    static let nothingSigned = Code(
        "CW1314",
        "nothing-signed",
        .error,
        """
        'sign' is the secret that signs posts, so that the server can authenticate them. It has no effect without \
        'post'.
        """
    )

    static let streamAddress = Code(
        "CW1315",
        "stream-address",
        .error,
        """
        A stream of 'type: webSocket' has a URL with wss://, or with ws:// on this machine; the other types have a URL \
        with https://. A path relative to the base URL of the environment is valid for all of them. A stream of \
        'type: mqtt' has a URL with a path only with wss:// or ws://.
        """
    )
    static let notOfThisStream = Code(
        "CW1316",
        "not-of-this-stream",
        .error,
        """
        Only a WebSocket takes messages of the client. The request of another stream has the id of the last event in a \
        header field or in the query: 'resume: { header: … }' or 'resume: { query: … }'.
        """
    )
    static let resumeNotOneWay = Code(
        "CW1317",
        "resume-not-one-way",
        .error,
        """
        'resume' sets where the server gets the id of the last event: in a header field, in the query of the URL, or \
        in a message of a WebSocket. Use only one of them.
        """
    )
    static let streamHeader = Code(
        "CW1318",
        "stream-header",
        .error,
        """
        The service sets some header fields itself: those of the connection, the handshake and the token. A second \
        value could make the server reject or misread the request. Set a field once, in 'headers' or in \
        'secretHeaders'.
        """
    )
    static let openStreamHeader = Code(
        "CW1319",
        "open-stream-header",
        .warning,
        """
        Plain values of a file appear in logs, plans and differences. Write fields such as API keys, tokens and \
        cookies under 'secretHeaders', whose values are never shown, preferably as a reference: ${env:API_KEY}.
        """
    )
    static let streamVariable = Code(
        "CW1320",
        "stream-variable",
        .error,
        """
        The greeting of a WebSocket is sent before any message, so it can use only the id of the last event, which is \
        empty the first time. 'acknowledge' can use the fields of the acknowledged message. The id and the topics of an \
        MQTT client can use 'deviceId', 'app', 'stream' and, with 'needs: [user]', 'user'.
        """
    )
    static let tooManyStreams = Code(
        "CW1321",
        "too-many-streams",
        .error,
        """
        Each stream keeps a connection open, and the number of connections to one host is limited: with more streams \
        all other requests to the host would wait. Use one stream, and distinguish its events with 'when'.
        """
    )

    static let invalidTopic = Code(
        "CW1322",
        "invalid-topic",
        .error,
        """
        The topic of an ntfy server has 1 to 64 letters, digits, '-' and '_'. The topic is a secret, so the message does \
        not show it. A filter of topics of an MQTT broker has the wildcards '+' and '#' as whole levels, '#' only as the \
        last one; the name of a topic has no wildcards.
        """
    )
    static let guessableTopic = Code(
        "CW1323",
        "guessable-topic",
        .warning,
        """
        On an ntfy server without access control everybody who knows or guesses the name of a topic can read it, and \
        can send to it. Use a long random name, or protect the topic on the server and write 'token'.
        """
    )
    static let streamCredentials = Code(
        "CW1324",
        "stream-credentials",
        .error,
        """
        A server gets one kind of credentials: a 'token', or a 'username' with its 'password'. For Gotify it is the token \
        of a client, which begins with 'C'; the token of an application, which begins with 'A', can only send. A client \
        of an MQTT broker has an id, and a 'username' wherever it has a 'password'.
        """
    )
    static let mqttSession = Code(
        "CW1325",
        "mqtt-session",
        .error,
        """
        With MQTT 5 a client says how long the broker keeps its session, and the messages that wait for it. With 3.1.1 \
        the session is kept too, and the broker decides how long.
        """
    )
    static let mqttQoS = Code(
        "CW1326",
        "mqtt-qos",
        .error,
        """
        With QoS 1 the broker sends a message again until its notification is stored. With QoS 2 a broker forgets a \
        message before it is stored, so it can be lost. Use QoS 1 and 'id', by which a repeated message is recognized.
        """
    )
    static let mqttWithoutID = Code(
        "CW1327",
        "mqtt-without-id",
        .warning,
        """
        After a lost connection the broker sends a message again that may have been stored already. MQTT has no id by \
        which it can be recognized: write 'id', the field of a message or the user property with a unique id.
        """
    )
    static let mqttClientID = Code(
        "CW1328",
        "mqtt-client-id",
        .error,
        """
        A broker has one connection for each id of a client: a second one ends the first, and both streams would end each \
        other for ever. Use different ids, or one stream with all topics.
        """
    )

    static let notificationsCodes: [Code] = [
        noAction, actionAtWrongMoment, unknownButton, tooManyButtons, unusedButton, refusedScheme, linkNotPassed,
        unknownOperation, nowhereToDownload, unguardedVariable, duplicateSink, unusedSinks,
        nowhereToStore, nothingSigned, streamAddress, notOfThisStream, resumeNotOneWay, streamHeader, openStreamHeader,
        streamVariable, tooManyStreams, invalidTopic, guessableTopic, streamCredentials, mqttSession, mqttQoS,
        mqttWithoutID, mqttClientID,
    ]
}
