import type { LoadingChoice } from './loading-choice.ts'

/** Networks that nobody pays for by the byte. Source: `ConnectionType` of the Network Information API. */
const freeNetworks = ['wifi', 'ethernet']

/** Do pictures and voice messages come without being asked for? `networkType`: where the browser tells it. */
export function mayLoadUnasked(choice: LoadingChoice, networkType: string | undefined): boolean {
  if (choice === 'never') return false
  return choice === 'always' || networkType === undefined || freeNetworks.includes(networkType)
}
