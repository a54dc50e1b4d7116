import WireHTTP

extension CorewireError {
    /// The kind of a reason; more may be added.
    ///
    /// Its text is the last part of the `type` of the problem that the local API answers with, except that several problems of
    /// signing in are one code, that all endings are ``stopped``, and that some codes have no problem.
    public struct Code: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
        /// The kind in one word, such as `store-unavailable`.
        public let rawValue: String

        /// A code by its text, such as one that this version has no name for.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Its text.
        public var description: String { rawValue }

        /// The words for the end are one code.
        init(_ kind: some FailureKind) { rawValue = ["ended", "closing"].contains(kind.code) ? "ending" : kind.code }

        private init(_ text: String) { rawValue = text }

        // MARK: Everywhere

        /// The services have been stopped, or are being.
        public static let stopped = Code("ending")
        /// The file has no section for it, or its service does not run.
        public static let noService = Code("no-service")
        /// What was given can never be right.
        public static let invalid = Code("invalid-request")
        /// There is no such thing.
        public static let notFound = Code("not-found")
        /// The file declares no such thing.
        public static let undeclared = Code("undeclared")
        /// There is no room: a limit of the file, or the disk.
        public static let full = Code("full")
        /// It is larger than allowed.
        public static let tooLarge = Code("too-large")
        /// Another program has changed it, or a condition does not hold.
        public static let conflict = Code("conflict")
        /// The store cannot be used now; later may do.
        public static let storeUnavailable = Code("store-unavailable")
        /// It failed; the description says why.
        public static let failed = Code("failed")
        /// The JSON is not what the type expects, or the type has no JSON.
        public static let malformed = Code("malformed")
        /// The task was cancelled.
        public static let cancelled = Code("cancelled")

        // MARK: Starting and changing

        /// The services file is not valid, or refers to what is not here.
        public static let invalidFile = Code("invalid-file")
        /// The services file cannot be read.
        public static let unreadableFile = Code("unreadable-file")
        /// Another runner has this app; to try again later may help.
        public static let appIsRunning = Code("app-is-running")
        /// The store or its folders cannot be used.
        public static let noState = Code("no-state")
        /// A service that must run did not become ready.
        public static let serviceFailed = Code("service-failed")
        /// A security rule says that nothing may run here.
        public static let guarded = Code("guarded")
        /// The machine does not let it happen.
        public static let hostRefused = Code("host-refused")

        // MARK: Stored values

        /// The namespace or the key cannot be a name.
        public static let badName = Code("bad-name")
        /// Nothing is kept for so long there, or for so short a time.
        public static let badLifetime = Code("bad-lifetime")
        /// The value is larger than `persistence.maxValueSize`.
        public static let valueTooLarge = Code("value-too-large")
        /// The file has `onlyDeclared: true`, and leaves the namespace out.
        public static let undeclaredNamespace = Code("undeclared-namespace")
        /// The entry is not what the condition says: it was changed, or is not there, or is.
        public static let preconditionFailed = Code("precondition-failed")
        /// It is sealed with a key that is not at hand.
        public static let sealed = Code("sealed")
        /// The store is damaged, or cannot do it.
        public static let storeFailed = Code("store-failed")

        // MARK: Servers

        /// There is no network, or the policy keeps everything here.
        public static let offline = Code("offline")
        /// The server cannot be reached.
        public static let unreachable = Code("unreachable")
        /// Only what is stored was wanted, and it has no answer.
        public static let notStored = Code("not-stored")
        /// The server, or the file, says no.
        public static let refused = Code("refused")

        // MARK: Requests

        /// The file does not allow the request, or not with that token.
        public static let forbidden = Code("forbidden")
        /// The environment has no base URL, or the path leads out of it.
        public static let noAddress = Code("no-address")
        /// The file declares no such token.
        public static let undeclaredMode = Code("undeclared-mode")
        /// The name of the server has no address.
        public static let unresolved = Code("unresolved")
        /// The server is not the one that it should be.
        public static let tls = Code("tls")
        /// The certificate of the server is none that the file pins.
        public static let pin = Code("pin")
        /// The answer broke off.
        public static let interrupted = Code("interrupted")
        /// What the server answered is no HTTP.
        public static let protocolError = Code("protocol-error")
        /// The server redirects again and again.
        public static let tooManyRedirects = Code("too-many-redirects")
        /// The server did not answer in time.
        public static let timeout = Code("timeout")
        /// The server has failed so often that it is left alone for a while.
        public static let hostResting = Code("host-resting")
        /// Too many requests are under way.
        public static let busy = Code("busy")
        /// The machine has too little of something to send it now.
        public static let exhausted = Code("exhausted")
        /// The server answered another status than one from 200 to 299.
        public static let status = Code("status")

        // MARK: Users and tokens

        /// No user is signed in.
        public static let signedOut = Code("signed-out")
        /// A user is signed in already.
        public static let signedIn = Code("signed-in")
        /// The session is locked.
        public static let locked = Code("locked")
        /// The server has closed the account.
        public static let blocked = Code("blocked")
        /// A security rule says that this machine is not to be trusted now.
        public static let distrusted = Code("distrusted")
        /// There is no token now; trying again helps.
        public static let tokenUnavailable = Code("token-unavailable")
        /// The token cannot be renewed: the server gave nothing to do that with.
        public static let notRenewable = Code("not-renewable")
        /// The next attempt must wait, or the next renewal of a token that was refused.
        public static let tooSoon = Code("too-soon")
        /// The file says `mode: app`: no user signs in.
        public static let noUser = Code("no-user")
        /// A sign-in failed; `signInFailure` says why.
        public static let signInFailed = Code("sign-in-failed")
        /// No sign-in waits, or the answer is of another one.
        public static let noSignIn = Code("no-sign-in")
        /// The sign-in was given up, or another one has taken its place.
        public static let givenUp = Code("given-up")
        /// The file declares no lock.
        public static let noLock = Code("no-lock")
        /// There is no PIN to lock with.
        public static let notLockable = Code("not-lockable")
        /// There is nothing to unlock.
        public static let notLocked = Code("not-locked")
        /// The file says that it is unlocked in another way.
        public static let otherMethod = Code("other-method")
        /// A PIN has 4 to 12 digits and nothing else.
        public static let badPIN = Code("bad-pin")
        /// The PIN is wrong.
        public static let wrongPIN = Code("wrong-pin")
        /// The password of the account is wrong.
        public static let wrongPassword = Code("wrong-password")
        /// The PIN was wrong too often, and the session has ended.
        public static let wiped = Code("wiped")
        /// The password cannot be checked now.
        public static let unlockUnavailable = Code("unlock-unavailable")

        // MARK: Outbox, tasks and pushes

        /// Nothing is known of the request.
        public static let noSuchRequest = Code("no-such-request")
        /// The request is being sent; later may do.
        public static let underWay = Code("under-way")
        /// The file declares no such task, or not for Swift code.
        public static let noSuchTask = Code("no-such-task")
        /// Nothing is put off for so long.
        public static let badDelay = Code("bad-delay")
        /// The task does not wait, so that there is nothing to cancel.
        public static let nothingToCancel = Code("nothing-to-cancel")
        /// The file has no such registrar.
        public static let noSuchRegistrar = Code("no-such-registrar")
        /// The server has no such thing, or the file says otherwise.
        public static let notSupported = Code("not-supported")
        /// A user must sign in first.
        public static let notNow = Code("not-now")
        /// There is no such provider of push tokens.
        public static let noSuchProvider = Code("no-such-provider")
        /// What a push server was to be told can never be right.
        public static let badPushRequest = Code("bad-push-request")
        /// The push server refused, or could not be asked.
        public static let pushServer = Code("push-server")
        /// The store or the outbox cannot be used for pushes now; later may do.
        public static let pushUnavailable = Code("push-unavailable")

        // MARK: Notifications

        /// It is no notification.
        public static let invalidNotification = Code("invalid-notification")
        /// The notification is too large or too deep.
        public static let notificationTooLarge = Code("notification-too-large")
        /// As many notifications wait as the file allows.
        public static let tooManyNotifications = Code("too-many-notifications")
        /// No such notification was shown.
        public static let noSuchNotification = Code("no-such-notification")
        /// The notification has no such button.
        public static let noSuchButton = Code("no-such-button")

        // MARK: Downloads

        /// It could never be fetched: an address, a name or a sum that is none.
        public static let invalidDownload = Code("invalid-download")
        /// The file does not say where downloads go.
        public static let downloadsUndeclared = Code("downloads-undeclared")
        /// No file may come from that host.
        public static let downloadForbidden = Code("download-forbidden")
        /// As many downloads are wanted as may be.
        public static let tooManyDownloads = Code("too-many-downloads")
        /// Nothing is known of the download.
        public static let noSuchDownload = Code("no-such-download")

        // MARK: Metrics

        /// No rule has been judged yet.
        public static let noResults = Code("no-results")
        /// The store or the outbox cannot be used for metrics now; later may do.
        public static let metricsUnavailable = Code("metrics-unavailable")

        // MARK: Device

        /// The file says what it is.
        public static let declared = Code("declared")
        /// The file says that servers are not told.
        public static let neverRegistered = Code("never-registered")
        /// A device cannot be so.
        public static let badDevice = Code("bad-device")
        /// The store or the outbox cannot be used for the device now; later may do.
        public static let deviceUnavailable = Code("device-unavailable")

        // MARK: Formatting

        /// The template, the language or the time zone is none.
        public static let invalidBody = Code("invalid-body")
        /// The template asks for a value that was not given.
        public static let noSuchValue = Code("no-such-value")

        // MARK: GraphQL

        /// No file of `sync.operations` declares the operation.
        public static let noSuchOperation = Code("no-such-operation")
        /// The document or its variables do not fit the schema.
        public static let invalidDocument = Code("invalid-document")
        /// `sync.only` accepts declared operations only.
        public static let notDeclared = Code("not-declared")
        /// The server refused the operation.
        public static let syncRefused = Code("sync-refused")
        /// The server failed.
        public static let syncFailed = Code("sync-failed")
        /// The answer is no GraphQL response.
        public static let syncMalformed = Code("sync-malformed")
        /// As many mutations wait as the file allows.
        public static let queueFull = Code("queue-full")

        // MARK: Content

        /// No module of that name is kept, or at the server.
        public static let noSuchModule = Code("no-such-module")
        /// There is no such instance.
        public static let noSuchInstance = Code("no-such-instance")
        /// The content server does not have it.
        public static let noSuchContent = Code("no-such-content")
        /// The query or the change cannot be.
        public static let invalidContent = Code("invalid-content")
        /// What is stored cannot answer this.
        public static let notAnswerableOffline = Code("not-answerable-offline")
        /// Another writer has changed the instance.
        public static let contentConflict = Code("content-conflict")
        /// The content server refused it.
        public static let contentRefused = Code("content-refused")
        /// The content server failed.
        public static let contentFailed = Code("content-failed")
        /// The answer of the content server is not understood.
        public static let contentMalformed = Code("content-malformed")
        /// The answer of the content server is larger than the file allows.
        public static let contentTooLarge = Code("content-too-large")
        /// The file, or the environment, does not let the request leave.
        public static let notSent = Code("not-sent")
    }
}
