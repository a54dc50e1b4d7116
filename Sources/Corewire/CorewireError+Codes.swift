import WireHTTP

extension CorewireError {
    /// The kind of an error; more may be added.
    ///
    /// Its text is the last part of the `type` of the problem that the local API answers with, except that several problems of
    /// signing in are one code, that all endings are ``stopped``, and that some codes have no problem.
    public struct Code: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
        /// The kind in one word, such as `store-unavailable`.
        public let rawValue: String

        /// Makes a code from its text, such as one that this version has no name for.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The text of the code.
        public var description: String { rawValue }

        /// Merges the kinds for a stopped service.
        init(_ kind: some FailureKind) { rawValue = ["ended", "closing"].contains(kind.code) ? "ending" : kind.code }

        private init(_ text: String) { rawValue = text }

        // MARK: General

        /// The services are stopping or have been stopped.
        public static let stopped = Code("ending")
        /// The file has no section for the call, or its service does not run.
        public static let noService = Code("no-service")
        /// The input is invalid.
        public static let invalid = Code("invalid-request")
        /// The requested element does not exist.
        public static let notFound = Code("not-found")
        /// The file does not declare the requested element.
        public static let undeclared = Code("undeclared")
        /// A limit of the file or the disk is reached.
        public static let full = Code("full")
        /// The data is larger than allowed.
        public static let tooLarge = Code("too-large")
        /// Another program has changed the data, or a condition does not hold.
        public static let conflict = Code("conflict")
        /// The store is not available now; a retry may help.
        public static let storeUnavailable = Code("store-unavailable")
        /// The call failed; see the description.
        public static let failed = Code("failed")
        /// The JSON does not match the type, or the type cannot be encoded as JSON.
        public static let malformed = Code("malformed")
        /// The task was cancelled.
        public static let cancelled = Code("cancelled")

        // MARK: Starting and changing

        /// The services file is invalid, or refers to something that does not exist here.
        public static let invalidFile = Code("invalid-file")
        /// The services file cannot be read.
        public static let unreadableFile = Code("unreadable-file")
        /// Another runner has this app; a retry may help.
        public static let appIsRunning = Code("app-is-running")
        /// The store or its folders are not usable.
        public static let noState = Code("no-state")
        /// A required service did not become ready.
        public static let serviceFailed = Code("service-failed")
        /// A security rule prevents the start.
        public static let guarded = Code("guarded")
        /// The machine does not support the call.
        public static let hostRefused = Code("host-refused")

        // MARK: Stored values

        /// The name of the namespace or the key is invalid.
        public static let badName = Code("bad-name")
        /// The lifetime is too long or too short.
        public static let badLifetime = Code("bad-lifetime")
        /// The value is larger than `persistence.maxValueSize`.
        public static let valueTooLarge = Code("value-too-large")
        /// The file has `onlyDeclared: true` and does not declare the namespace.
        public static let undeclaredNamespace = Code("undeclared-namespace")
        /// The condition on the entry does not hold: it was changed, does not exist, or exists.
        public static let preconditionFailed = Code("precondition-failed")
        /// The value is sealed with a key that is not available.
        public static let sealed = Code("sealed")
        /// The store is damaged, or does not support the call.
        public static let storeFailed = Code("store-failed")

        // MARK: Servers

        /// There is no network, or the policy allows no requests.
        public static let offline = Code("offline")
        /// The server cannot be reached.
        public static let unreachable = Code("unreachable")
        /// Only stored data was requested, and none is stored.
        public static let notStored = Code("not-stored")
        /// The server or the file rejects the call.
        public static let refused = Code("refused")

        // MARK: Requests

        /// The file does not allow the request, or not with this token.
        public static let forbidden = Code("forbidden")
        /// The environment has no base URL, or the path leads out of it.
        public static let noAddress = Code("no-address")
        /// The file declares no such mode.
        public static let undeclaredMode = Code("undeclared-mode")
        /// The host name cannot be resolved.
        public static let unresolved = Code("unresolved")
        /// The certificate of the server is not trusted.
        public static let tls = Code("tls")
        /// The key of the server is not one that the file pins.
        public static let pin = Code("pin")
        /// The response was incomplete.
        public static let interrupted = Code("interrupted")
        /// The response is not valid HTTP.
        public static let protocolError = Code("protocol-error")
        /// Too many redirects.
        public static let tooManyRedirects = Code("too-many-redirects")
        /// The server did not respond in time.
        public static let timeout = Code("timeout")
        /// The circuit breaker of the host is open after repeated failures.
        public static let hostResting = Code("host-resting")
        /// Too many requests in progress.
        public static let busy = Code("busy")
        /// The machine lacks resources to send the request now.
        public static let exhausted = Code("exhausted")
        /// The server responded with a status outside of 200 to 299.
        public static let status = Code("status")

        // MARK: Users and tokens

        /// No user is signed in.
        public static let signedOut = Code("signed-out")
        /// A user is signed in already.
        public static let signedIn = Code("signed-in")
        /// The session is locked.
        public static let locked = Code("locked")
        /// The account is blocked.
        public static let blocked = Code("blocked")
        /// A security rule does not trust this machine now.
        public static let distrusted = Code("distrusted")
        /// No token is available now; a retry may help.
        public static let tokenUnavailable = Code("token-unavailable")
        /// The token cannot be refreshed: the server issued no refresh token.
        public static let notRenewable = Code("not-renewable")
        /// The next attempt, or the next refresh of a rejected token, must wait.
        public static let tooSoon = Code("too-soon")
        /// The file says `mode: app`: users cannot sign in.
        public static let noUser = Code("no-user")
        /// A sign-in failed; see `signInFailure`.
        public static let signInFailed = Code("sign-in-failed")
        /// No sign-in is pending, or the redirect URL belongs to another one.
        public static let noSignIn = Code("no-sign-in")
        /// The sign-in was cancelled, or replaced by another one.
        public static let givenUp = Code("given-up")
        /// The file declares no lock.
        public static let noLock = Code("no-lock")
        /// No PIN is set.
        public static let notLockable = Code("not-lockable")
        /// The session is not locked.
        public static let notLocked = Code("not-locked")
        /// The file declares another unlock method.
        public static let otherMethod = Code("other-method")
        /// A PIN has 4 to 12 digits only.
        public static let badPIN = Code("bad-pin")
        /// The PIN is wrong.
        public static let wrongPIN = Code("wrong-pin")
        /// The password of the account is wrong.
        public static let wrongPassword = Code("wrong-password")
        /// The session has ended after too many wrong PINs.
        public static let wiped = Code("wiped")
        /// The password cannot be checked now.
        public static let unlockUnavailable = Code("unlock-unavailable")

        // MARK: Outbox, tasks and pushes

        /// The id of the request is unknown.
        public static let noSuchRequest = Code("no-such-request")
        /// The request is being sent; a retry may help.
        public static let underWay = Code("under-way")
        /// The file declares no such task, or not for Swift code.
        public static let noSuchTask = Code("no-such-task")
        /// The delay is too long.
        public static let badDelay = Code("bad-delay")
        /// There is no run to cancel.
        public static let nothingToCancel = Code("nothing-to-cancel")
        /// The file has no such registrar.
        public static let noSuchRegistrar = Code("no-such-registrar")
        /// The server does not support the call, or the file disables it.
        public static let notSupported = Code("not-supported")
        /// A user must sign in first.
        public static let notNow = Code("not-now")
        /// The provider of push tokens is unknown.
        public static let noSuchProvider = Code("no-such-provider")
        /// The input for a push server is invalid.
        public static let badPushRequest = Code("bad-push-request")
        /// The push server rejected the request, or is not reachable.
        public static let pushServer = Code("push-server")
        /// The store or the outbox is not available for pushes now; a retry may help.
        public static let pushUnavailable = Code("push-unavailable")

        // MARK: Notifications

        /// The notification is invalid.
        public static let invalidNotification = Code("invalid-notification")
        /// The notification is too large or nested too deeply.
        public static let notificationTooLarge = Code("notification-too-large")
        /// Too many notifications are waiting.
        public static let tooManyNotifications = Code("too-many-notifications")
        /// The id of the notification is unknown.
        public static let noSuchNotification = Code("no-such-notification")
        /// The notification has no such button.
        public static let noSuchButton = Code("no-such-button")

        // MARK: Downloads

        /// An invalid address, name or digest.
        public static let invalidDownload = Code("invalid-download")
        /// The file does not declare a folder for downloads.
        public static let downloadsUndeclared = Code("downloads-undeclared")
        /// Downloads from the host are not allowed.
        public static let downloadForbidden = Code("download-forbidden")
        /// The maximum number of downloads is reached.
        public static let tooManyDownloads = Code("too-many-downloads")
        /// The id of the download is unknown.
        public static let noSuchDownload = Code("no-such-download")

        // MARK: Metrics

        /// No rule has been evaluated yet.
        public static let noResults = Code("no-results")
        /// The store or the outbox is not available for metrics now; a retry may help.
        public static let metricsUnavailable = Code("metrics-unavailable")

        // MARK: Device

        /// The file sets the value.
        public static let declared = Code("declared")
        /// The file says `register: never`.
        public static let neverRegistered = Code("never-registered")
        /// The device is invalid.
        public static let badDevice = Code("bad-device")
        /// The store or the outbox is not available for the device now; a retry may help.
        public static let deviceUnavailable = Code("device-unavailable")

        // MARK: Formatting

        /// The template, the language or the time zone is invalid.
        public static let invalidBody = Code("invalid-body")
        /// The template needs a value that is missing.
        public static let noSuchValue = Code("no-such-value")

        // MARK: GraphQL

        /// No file of `sync.operations` declares the operation.
        public static let noSuchOperation = Code("no-such-operation")
        /// The document or its variables do not match the schema.
        public static let invalidDocument = Code("invalid-document")
        /// `sync.only` accepts declared operations only.
        public static let notDeclared = Code("not-declared")
        /// The server rejected the operation.
        public static let syncRefused = Code("sync-refused")
        /// The server failed.
        public static let syncFailed = Code("sync-failed")
        /// The response is not a GraphQL response.
        public static let syncMalformed = Code("sync-malformed")
        /// The queue of mutations is full.
        public static let queueFull = Code("queue-full")

        // MARK: Content

        /// No such module is stored or at the server.
        public static let noSuchModule = Code("no-such-module")
        /// The instance does not exist.
        public static let noSuchInstance = Code("no-such-instance")
        /// The content server does not have it.
        public static let noSuchContent = Code("no-such-content")
        /// The query or the change is invalid.
        public static let invalidContent = Code("invalid-content")
        /// The query cannot be answered from stored content.
        public static let notAnswerableOffline = Code("not-answerable-offline")
        /// Another writer has changed the instance.
        public static let contentConflict = Code("content-conflict")
        /// The content server rejected the request.
        public static let contentRefused = Code("content-refused")
        /// The content server failed.
        public static let contentFailed = Code("content-failed")
        /// The response of the content server is invalid.
        public static let contentMalformed = Code("content-malformed")
        /// The response of the content server is larger than the file allows.
        public static let contentTooLarge = Code("content-too-large")
        /// The file or the environment does not allow the request.
        public static let notSent = Code("not-sent")
    }
}
