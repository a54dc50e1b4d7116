import WireBase

/// Code of this program that takes part in what the services do (HALO's add-ons), given to
/// ``Corewire/Configuration/addons``.
///
/// What it takes part in is what it conforms to: ``CorewireLifecycleAddon``, ``CorewireDeviceAddon``,
/// ``CorewireNotificationsAddon``, ``CorewireNetworkAddon``, ``CorewireDeepLinkAddon``, ``CorewireAuthAddon``,
/// ``CorewireAuthProvider``. It is told
/// and asked one thing after the other, in the order in which they happen. Nobody waits for what it is told; what it is asked
/// is waited for as long as its ``timeout``, and one that is late is asked nothing more until it goes on.
public protocol CorewireAddon: Sendable {
    /// Its name: letters, digits, `-`, `_` and `.`.
    var addonName: String { get }
    /// Whether nothing starts without it; otherwise the rest runs on, degraded.
    var isRequired: Bool { get }
    /// How long it may take to answer.
    var timeout: Duration { get }
    /// It is about to be registered.
    func willRegisterAddon()
    /// It was registered; nothing runs yet.
    func didRegisterAddon()
    /// Prepares it, at the same time as all others; nothing has started yet.
    func setUp() async throws
    /// Starts it, once all have been set up.
    func startUp() async throws
}

extension CorewireAddon {
    /// Nothing starts without it.
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

/// An add-on that hears how the services come and go.
public protocol CorewireLifecycleAddon: CorewireAddon {
    /// The services are about to start.
    func willStart() async
    /// All of them have.
    func didStart() async
    /// What is in flight is let end.
    func willDrain() async
    /// The add-on is told nothing more.
    func willStop() async
    /// Another environment is about to run.
    func willChangeEnvironment(from old: String?, to new: String?) async
    /// Another environment runs.
    func didChangeEnvironment(from old: String?, to new: String?) async
    /// The other environment did not become ready; this one goes on.
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

/// An add-on that may change the device before servers are told of it.
public protocol CorewireDeviceAddon: CorewireAddon {
    /// At every start of the device's service.
    func willSetUp(_ device: inout Corewire.Device) async throws
    /// Before the device is saved at the server, every time.
    func willRegister(_ device: inout Corewire.Device) async throws
    /// The server has it.
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

/// An add-on that hears of push tokens and taps, and decides about notifications before anything is done with them.
public protocol CorewireNotificationsAddon: CorewireAddon {
    /// A provider has given a token that is new.
    func didReceiveToken(_ token: Corewire.Secret, of provider: String) async
    /// A provider has given none.
    func didFailToGetToken(of provider: String, because reason: String) async
    /// What is to become of a notification.
    func didReceive(_ notification: Corewire.Notification) async throws -> Corewire.NotificationDecision
    /// Somebody tapped a notification, or one of its buttons.
    func didRespond(to notification: String, button: String?) async
}

extension CorewireNotificationsAddon {
    /// Does nothing.
    public func didReceiveToken(_ token: Corewire.Secret, of provider: String) async {}
    /// Does nothing.
    public func didFailToGetToken(of provider: String, because reason: String) async {}
    /// It is handled as the file says.
    public func didReceive(_ notification: Corewire.Notification) async throws -> Corewire.NotificationDecision {
        .handle
    }
    /// Does nothing.
    public func didRespond(to notification: String, button: String?) async {}
}

/// An add-on that hears of every request, and refuses some where it wants to; it sees no token, no field and no query.
public protocol CorewireNetworkAddon: CorewireAddon {
    /// Whether requests wait until it has said whether they may be made; otherwise nobody waits for ``willPerform(_:)``.
    var mayRefuseRequests: Bool { get }
    /// Before a request is made; why it must not be, nil where it may.
    func willPerform(_ request: Corewire.AddonRequest) async throws -> String?
    /// It was made, or has failed.
    func didPerform(_ request: Corewire.AddonRequest, _ end: Corewire.AddonRequest.End) async
}

extension CorewireNetworkAddon {
    /// Nobody waits for it.
    public var mayRefuseRequests: Bool { false }
    /// Every request may be made.
    public func willPerform(_ request: Corewire.AddonRequest) async throws -> String? { nil }
    /// Does nothing.
    public func didPerform(_ request: Corewire.AddonRequest, _ end: Corewire.AddonRequest.End) async {}
}

/// An add-on that opens links.
public protocol CorewireDeepLinkAddon: CorewireAddon {
    /// Whether it has opened the link.
    func open(_ url: String) async throws -> Bool
}

/// An add-on that hears who signs in and out.
public protocol CorewireAuthAddon: CorewireAddon {
    /// Somebody has signed in; the app itself where there is no subject.
    func didSignIn(subject: String?, mode: String) async
    /// They were signed out.
    func didSignOut(mode: String, because reason: String) async
}

extension CorewireAuthAddon {
    /// Does nothing.
    public func didSignIn(subject: String?, mode: String) async {}
    /// Does nothing.
    public func didSignOut(mode: String, because reason: String) async {}
}

/// An add-on that signs people in: with a browser of its own, or by saying who it is (HALO's `AuthProvider`).
public protocol CorewireAuthProvider: CorewireAuthAddon {
    /// Somebody is to be signed in; nil leaves it to others.
    ///
    /// It may take as long as ``Corewire/WantedSignIn/timeLeft``, beside all else the add-on is told and asked. The task is
    /// cancelled when nobody waits for it any more.
    func signIn(_ wanted: Corewire.WantedSignIn) async throws -> Corewire.SignInProof?
}
