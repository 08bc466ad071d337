import { limits } from '../../../schema/limits.ts'
import type { AttemptLimit, LimitAttempts } from '../../access/attempt-limiter.ts'
import type { DeviceLink, LinkOutcome } from '../../access/device-links.ts'
import { RequestRefused, refuseTooEarly } from '../core/request-refused.ts'

export type LinkLimits = ReturnType<typeof createLinkLimits>

/** Limits how many codes a network shows, and how many unknown ones a caller tries. */
export function createLinkLimits({ limitAttempts }: { limitAttempts: LimitAttempts }) {
  const { begunPerAddress, unknownPerCaller } = limits.deviceLinks
  const begun = limitAttempts('device links begun', begunPerAddress)
  const unknown = limitAttempts('unknown device links', unknownPerCaller)

  return {
    /** @throws RequestRefused `too_many_device_links` */
    countBegun(address: string) {
      refuseOver(begun, address)
      begun.count(address)
    },

    /**
     * The link of an outcome. @param caller the person, or the address of a stranger
     * @throws RequestRefused the outcome's refusal
     */
    require(outcome: LinkOutcome, caller: string): DeviceLink {
      if ('link' in outcome) return outcome.link
      if (outcome.refusal === 'device_link_unknown') unknown.count(caller)
      throw new RequestRefused(outcome.refusal)
    },

    /** @throws RequestRefused `too_many_device_links` after too many unknown codes */
    admit: (caller: string) => refuseOver(unknown, caller),
  }
}

function refuseOver(limit: AttemptLimit, key: string) {
  refuseTooEarly(limit.secondsToWait(key), 'too_many_device_links')
}
