import type { Emulation } from '../state/emulation.ts'
import type { BusinessNumber, Customer } from '../state/emulator-state.ts'
import { toBusinessScopedId, toCanonicalWaId } from './canonical-wa-id.ts'
import { findScript } from './scripts.ts'

const windowMs = 24 * 3_600_000

/** The customer with this number; a new one if unknown. */
export function findCustomer(
  { state, config }: Emulation,
  digits: string,
  name?: string,
): Customer {
  const waId = toCanonicalWaId(digits)
  const known = state.customers.get(waId)
  if (known) {
    if (name) known.name = name
    return known
  }
  const { isPhoneHidden = false } = findScript(digits, config.latencies)
  const customer: Customer = {
    digits,
    waId,
    bsuid: toBusinessScopedId(waId),
    isPhoneHidden,
    name: name ?? `Customer ${digits.slice(-4)}`,
  }
  state.customers.set(waId, customer)
  return customer
}

export function findByBsuid({ state }: Emulation, bsuid: string): Customer | undefined {
  return [...state.customers.values()].find((customer) => customer.bsuid === bsuid)
}

/** Do webhooks omit this person's number? */
export function isHidden({ config }: Emulation, customer: Customer): boolean {
  return config.hidePhone || customer.isPhoneHidden
}

export function hasOpenWindow(
  { state, clock }: Emulation,
  number: BusinessNumber,
  customer: Customer,
): boolean {
  return (state.windows.get(windowKey(number.id, customer.waId)) ?? 0) > clock.now()
}

/** Opens the window from the time of a person's message; an earlier one does not shorten it. */
export function openWindow(
  { state }: Emulation,
  options: { numberId: string; customer: Customer; at: number },
) {
  const { numberId, customer, at } = options
  const name = windowKey(numberId, customer.waId)
  state.windows.set(name, Math.max(state.windows.get(name) ?? 0, at + windowMs))
}

export function windowKey(numberId: string, waId: string): string {
  return `${numberId}|${waId}`
}
