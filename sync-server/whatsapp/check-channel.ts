import type { GraphClient } from './client/graph-client.ts'
import { fetchNumberInformation } from './client/number-information.ts'
import type { ProviderError } from './client/provider-error.ts'
import type { WhatsAppSettings } from './client/whatsapp-settings.ts'
import { fetchTemplates } from './templates/template-list.ts'

type Checked = Pick<WhatsAppSettings, 'phoneNumberId' | 'businessAccountId' | 'displayPhoneNumber'>

const permissions = 'whatsapp_business_messaging and whatsapp_business_management'

/**
 * Checks the settings with WhatsApp: the token, the number, the account.
 * @returns one sentence for each fault, none with a secret in it
 */
export async function checkChannel({
  client,
  settings,
}: {
  client: GraphClient
  settings: Checked
}): Promise<string[]> {
  const number = await fetchNumberInformation(client, settings.phoneNumberId)
  if (number.kind === 'unanswered') return [unreachable]
  if (number.kind === 'refused') return [describeRefusal(number.error, 'WHATSAPP_PHONE_NUMBER_ID')]
  const { digits, isConnected, status } = number.value
  const account = await fetchTemplates(client, settings.businessAccountId, { limit: 1, pages: 1 })
  const { displayPhoneNumber } = settings
  return [
    isConnected
      ? null
      : `The number of WHATSAPP_PHONE_NUMBER_ID cannot send: WhatsApp says ${status}. Register it at Meta.`,
    displayPhoneNumber !== undefined && displayPhoneNumber !== digits
      ? 'WHATSAPP_DISPLAY_PHONE_NUMBER is not the number that WHATSAPP_PHONE_NUMBER_ID stands for.'
      : null,
    account.kind === 'refused'
      ? describeRefusal(account.error, 'WHATSAPP_BUSINESS_ACCOUNT_ID')
      : null,
  ].filter((sentence) => sentence !== null)
}

const unreachable =
  'WhatsApp is not reachable at WHATSAPP_GRAPH_BASE_URL. What is sent there waits until it is.'

function describeRefusal({ code, words }: ProviderError, name: string): string {
  if (code === null) return unreachable
  if (code === 0 || code === 190) {
    return 'WhatsApp does not accept WHATSAPP_ACCESS_TOKEN. Make a new token of a system user at Meta.'
  }
  if (code === 3 || code === 10 || (code >= 200 && code <= 299)) {
    return `WHATSAPP_ACCESS_TOKEN may not use ${name}. It needs ${permissions}.`
  }
  if (code === 100 || code === 33) {
    return `${name} is nothing that WHATSAPP_ACCESS_TOKEN can see at WhatsApp. Compare both with Meta's page.`
  }
  return `WhatsApp refuses ${name}: ${words}`
}
