import WireBase

/// Code of the program that takes part in the work of the services (HALO's add-ons), set in
/// ``Corewire/Configuration/addons``.
///
/// The conformances select the hooks: ``CorewireLifecycleAddon``, ``CorewireDeviceAddon``,
/// ``CorewireNotificationsAddon``, ``CorewireNetworkAddon``, ``CorewireDeepLinkAddon``, ``CorewireAuthAddon``,
/// ``CorewireAuthProvider``. Calls are made one at a time, in order. Notices do not delay the services; questions wait
/// for a reply up to ``timeout``, and a late add-on gets no questions until it continues.
public protocol CorewireAddon: Sendable {
    /// The name: letters, digits, `-`, `_` and `.`.
    var addonName: String { get }
    /// Whether the start fails without it; otherwise the services run, degraded.
    var isRequired: Bool { get }
    /// The timeout of a reply.
    var timeout: Duration { get }
    /// Called before the registration.
    func willRegisterAddon()
    /// Called after the registration; nothing runs yet.
    func didRegisterAddon()
    /// Prepares the add-on, concurrently with all others; nothing has started yet.
    func setUp() async throws
    /// Starts the add-on, once all are set up.
    func startUp() async throws
}

extension CorewireAddon {
    /// The start fails without it.
    public var isRequired: Bool { true }
    /// Five seconds.
    public var timeout: Duration { .seconds(5) }
    /// Does nothing.
    public func willRegisterAddon() {}
    /// Does nothing.
    public func didRegisterAddon() {}
    /// Does nothing.
    public func setUp() async throws {}
    /// Does nothing.
    public func startUp() async throws {}
}

/// An add-on that observes the lifecycle of the services.
public protocol CorewireLifecycleAddon: CorewireAddon {
    /// Called before the services start.
    func willStart() async
    /// Called when all services have started.
    func didStart() async
    /// Called before services are drained.
    func willDrain() async
    /// Called last, before the end.
    func willStop() async
    /// Called before a switch to another environment.
    func willChangeEnvironment(from old: String?, to new: String?) async
    /// Called after a switch to another environment.
    func didChangeEnvironment(from old: String?, to new: String?) async
    /// Called when a switch failed and the current environment continues.
    func didNotChangeEnvironment(_ environment: String?, because reason: String) async
}

extension CorewireLifecycleAddon {
    /// Does nothing.
    public func willStart() async {}
    /// Does nothing.
    public func didStart() async {}
    /// Does nothing.
    public func willDrain() async {}
    /// Does nothing.
    public func willStop() async {}
    /// Does nothing.
    public func willChangeEnvironment(from old: String?, to new: String?) async {}
    /// Does nothing.
    public func didChangeEnvironment(from old: String?, to new: String?) async {}
    /// Does nothing.
    public func didNotChangeEnvironment(_ environment: String?, because reason: String) async {}
}

/// An add-on that may change the device before registration.
public protocol CorewireDeviceAddon: CorewireAddon {
    /// Called at every start of the device service.
    func willSetUp(_ device: inout Corewire.Device) async throws
    /// Called before every registration at the server.
    func willRegister(_ device: inout Corewire.Device) async throws
    /// Called after a registration.
    func didRegister(_ device: Corewire.Device) async
}

extension CorewireDeviceAddon {
    /// Changes nothing.
    public func willSetUp(_ device: inout Corewire.Device) async throws {}
    /// Changes nothing.
    public func willRegister(_ device: inout Corewire.Device) async throws {}
    /// Does nothing.
    public func didRegister(_ device: Corewire.Device) async {}
}

/// An add-on that observes push tokens and taps, and decides about notifications.
public protocol CorewireNotificationsAddon: CorewireAddon {
    /// Called when a provider has issued a new token.
    func didReceiveToken(_ token: Corewire.Secret, of provider: String) async
    /// Called when a provider has not issued a token.
    func didFailToGetToken(of provider: String, because reason: String) async
    /// Decides about a notification.
    func didReceive(_ notification: Corewire.Notification) async throws -> Corewire.NotificationDecision
    /// Called when the user taps a notification or one of its buttons.
    func didRespond(to notification: String, button: String?) async
}

extension CorewireNotificationsAddon {
    /// Does nothing.
    public func didReceiveToken(_ token: Corewire.Secret, of provider: String) async {}
    /// Does nothing.
    public func didFailToGetToken(of provider: String, because reason: String) async {}
    /// The notification is handled by the file.
    public func didReceive(_ notification: Corewire.Notification) async throws -> Corewire.NotificationDecision {
        .handle
    }
    /// Does nothing.
    public func didRespond(to notification: String, button: String?) async {}
}

/// An add-on that observes requests and may reject them; it sees no token, header field or query.
public protocol CorewireNetworkAddon: CorewireAddon {
    /// Whether requests wait for the decision of ``willPerform(_:)``; otherwise the method only observes.
    var mayRefuseRequests: Bool { get }
    /// Called before a request; returns why it must not be sent, or nil.
    func willPerform(_ request: Corewire.AddonRequest) async throws -> String?
    /// Called when a request has ended or failed.
    func didPerform(_ request: Corewire.AddonRequest, _ end: Corewire.AddonRequest.End) async
}

extension CorewireNetworkAddon {
    /// Requests do not wait.
    public var mayRefuseRequests: Bool { false }
    /// Allows every request.
    public func willPerform(_ request: Corewire.AddonRequest) async throws -> String? { nil }
    /// Does nothing.
    public func didPerform(_ request: Corewire.AddonRequest, _ end: Corewire.AddonRequest.End) async {}
}

/// An add-on that opens links.
public protocol CorewireDeepLinkAddon: CorewireAddon {
    /// Whether it has opened the link.
    func open(_ url: String) async throws -> Bool
}

/// An add-on that observes sign-ins and sign-outs.
public protocol CorewireAuthAddon: CorewireAddon {
    /// Called when a user has signed in, or the app itself where there is no subject.
    func didSignIn(subject: String?, mode: String) async
    /// Called when the user or the app was signed out.
    func didSignOut(mode: String, because reason: String) async
}

extension CorewireAuthAddon {
    /// Does nothing.
    public func didSignIn(subject: String?, mode: String) async {}
    /// Does nothing.
    public func didSignOut(mode: String, because reason: String) async {}
}

/// An add-on that signs users in: with its own browser, or with credentials (HALO's `AuthProvider`).
public protocol CorewireAuthProvider: CorewireAuthAddon {
    /// Signs in a user; nil leaves it to others.
    ///
    /// May take up to ``Corewire/WantedSignIn/timeLeft``, concurrently with other calls. The task is cancelled when the
    /// sign-in is no longer needed.
    func signIn(_ wanted: Corewire.WantedSignIn) async throws -> Corewire.SignInProof?
}
