import WireBase
package import WireConfig
import WireDeviceContract
import WireService

extension DeviceSection {
    /// The rules across the keys of the section.
    package func check(_ checks: inout Checks) {
        checks.offer(.device)
        // With an invalid value it is unknown whether anything is sent.
        if $register.state != .uncertain {
            if register == .never { checkThatNothingIsSent(&checks) } else { checkServer(&checks) }
        }
        checkTags(&checks)
    }

    private func checkServer(_ checks: inout Checks) {
        if authenticated {
            checks.need(
                Provision(.accessTokens),
                .deviceNeedsTokens,
                at: $authenticated,
                "device requires a token, but no section provides tokens",
                help:
                    "add an 'auth' section, or write \(setting: "authenticated: false") or \(setting: "register: never")"
            )
            checks.checkTokenServer(of: url, at: $url, "device", authenticated: $authenticated)
        }
        let environment = checks.environment
        guard $url.state == .absent, environment.backend == .remote, environment.isBackendKnown,
            environment.baseURL == nil, environment.baseURLPlace.state != .uncertain
        else { return }
        checks.report(
            .noBaseURL,
            at: $url,
            "device.url is \(Self.usualURL.text.quoted) by default, and the environment has no base URL",
            help:
                "write \(setting: "baseUrl: https://…") in the environment, or \(setting: "register: never") to store the device on this machine only"
        )
    }

    private func checkThatNothingIsSent(_ checks: inout Checks) {
        let environment = checks.environment
        // An invalid address is reported first, an unused one afterwards.
        let leadsNowhere = environment.backend == .remote && environment.baseURL == nil
        let unused: [(String, Address?, Place)] = [
            ("url", url, $url), ("activityUrl", activityURL, $activityURL), ("authenticated", nil, $authenticated),
        ]
        for (name, address, place) in unused where place.isWritten {
            if let address, address.absolute == nil, leadsNowhere { continue }
            checks.report(
                .unusedDeviceKey,
                at: place,
                "device.\(name) has no effect with 'register: never'",
                related: ($register, "because of this")
            )
        }
    }

    /// Tags are distinguished by name, so a tag of the file would replace a system tag.
    private func checkTags(_ checks: inout Checks) {
        if !systemTags, $facts.isWritten {
            checks.report(
                .unusedDeviceKey,
                at: $facts,
                "device.facts has no effect without system tags",
                help: "write \(setting: "systemTags: true"), or remove it"
            )
        }
        guard systemTags else { return }
        for item in tags.items where item.name == "apns" {
            checks.report(
                .systemTag,
                at: item.place,
                "device.tags.\(item.name) is the name of a system tag",
                help: "choose another name, or write \(setting: "systemTags: false")",
                related: ($systemTags, "system tags are added")
            )
        }
    }
}
