import WireConfig
import WireDeviceContract

/// A fact about the machine and the app that a tag can hold; tags have HALO's names where it has the same fact.
package enum DeviceFact: String, Choice {
    case platform, systemVersion, systemName, applicationName, applicationVersion, manufacturer, model, type
    case screenSize, nfc, testDevice

    package var help: String {
        switch self {
        case .platform: "'Platform Name': Linux"
        case .systemVersion: "'Linux Version': the version of the distribution"
        case .systemName: "'Linux Name': the distribution with its version"
        case .applicationName: "'Application Name': 'app.name', or the id of the app"
        case .applicationVersion: "'Application Version': 'app.version'"
        case .manufacturer: "'Device Manufacturer': according to the firmware"
        case .model: "'Device Model': according to the firmware"
        case .type: "'Device Type': desktop, laptop, tablet, handheld, server, embedded or virtual"
        case .screenSize: "'Device Screen Size': of the first connected screen, such as 1920x1080"
        case .nfc: "'NFC Support': whether there is an NFC reader"
        case .testDevice: "'Test Device': in the environments int, qa, stage, and those with embedded servers"
        }
    }

    var tagName: String {
        switch self {
        case .platform: "Platform Name"
        case .systemVersion: "Linux Version"
        case .systemName: "Linux Name"
        case .applicationName: "Application Name"
        case .applicationVersion: "Application Version"
        case .manufacturer: "Device Manufacturer"
        case .model: "Device Model"
        case .type: "Device Type"
        case .screenSize: "Device Screen Size"
        case .nfc: "NFC Support"
        case .testDevice: "Test Device"
        }
    }

    /// The value of the fact; nil where it is unknown.
    func value(_ machine: MachineFacts, _ app: AppSection?, _ facts: EnvironmentFacts) -> String? {
        switch self {
        case .platform: machine.platform
        case .systemVersion: machine.systemVersion
        case .systemName: machine.systemName
        case .applicationName: app?.displayName ?? app?.id.text
        case .applicationVersion: app?.version
        case .manufacturer: machine.manufacturer
        case .model: machine.model
        case .type: machine.type
        case .screenSize: machine.screenSize
        case .nfc: machine.hasNFC.map { "\($0)" }
        case .testDevice:
            facts.backend == .embedded || ["int", "qa", "stage"].contains(facts.name?.lowercased()) ? "true" : nil
        }
    }
}
