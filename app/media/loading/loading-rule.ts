import type { Settings } from '../../../schema/settings.ts'

type LoadingChoice = Settings['loadPictures']

/** Unmetered networks. Source: `ConnectionType` of the Network Information API. */
const freeNetworks = ['wifi', 'ethernet']

/** May media of one kind load automatically? `networkType`: if the browser reports it. */
export function mayLoadUnasked(choice: LoadingChoice, networkType: string | undefined): boolean {
  if (choice === 'never') return false
  return choice === 'always' || networkType === undefined || freeNetworks.includes(networkType)
}
