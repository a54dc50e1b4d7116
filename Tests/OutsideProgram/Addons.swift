import Corewire

/// An add-on that has a part in everything.
struct Everything: CorewireLifecycleAddon, CorewireDeviceAddon, CorewireNotificationsAddon, CorewireNetworkAddon,
    CorewireDeepLinkAddon, CorewireAuthProvider
{
    let addonName = "everything"
    let isRequired = false
    let timeout = Duration.seconds(5)

    func willRegisterAddon() {}
    func didRegisterAddon() {}
    func setUp() async throws {}
    func startUp() async throws {}

    func willStart() async {}
    func didStart() async {}
    func willDrain() async {}
    func willStop() async {}
    func willChangeEnvironment(from old: String?, to new: String?) async {}
    func didChangeEnvironment(from old: String?, to new: String?) async {}
    func didNotChangeEnvironment(_ environment: String?, because reason: String) async {}

    func willSetUp(_ device: inout Corewire.Device) async throws { device.alias = "tablet" }
    func willRegister(_ device: inout Corewire.Device) async throws {}
    func didRegister(_ device: Corewire.Device) async {}

    func didReceiveToken(_ token: Corewire.Secret, of provider: String) async { print(token.reveal().count, provider) }
    func didFailToGetToken(of provider: String, because reason: String) async {}
    func didReceive(_ notification: Corewire.Notification) async throws -> Corewire.NotificationDecision {
        notification.isSilent ? .veto("at night") : .show([.banner, .sound])
    }
    func didRespond(to notification: String, button: String?) async {}

    let mayRefuseRequests = true
    func willPerform(_ request: Corewire.AddonRequest) async throws -> String? { request.method == "GET" ? nil : "no" }
    func didPerform(_ request: Corewire.AddonRequest, _ end: Corewire.AddonRequest.End) async {}

    func open(_ url: String) async throws -> Bool { true }

    func didSignIn(subject: String?, mode: String) async {}
    func didSignOut(mode: String, because reason: String) async {}
    func signIn(_ wanted: Corewire.WantedSignIn) async throws -> Corewire.SignInProof? {
        switch wanted.step {
        case .open: .callback("com.example:/callback?code=1")
        case .enter: nil
        case .identify: .password(userName: "ada", password: Corewire.Secret("of the account"))
        }
    }
}

struct Publisher: MetricsPublisher {
    func publish(_ message: Corewire.MetricsMessage) async throws { print(message.json) }
}
