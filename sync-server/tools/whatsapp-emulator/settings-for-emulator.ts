import type { Emulator } from './emulator.ts'

/** The environment variables of a server that uses this emulator. */
export function settingsForEmulator({
  url,
  account,
}: Pick<Emulator, 'url' | 'account'>): Record<string, string> {
  return {
    WHATSAPP_ENABLED: 'true',
    WHATSAPP_GRAPH_BASE_URL: url,
    WHATSAPP_ACCESS_TOKEN: account.accessToken,
    WHATSAPP_PHONE_NUMBER_ID: account.numberId,
    WHATSAPP_BUSINESS_ACCOUNT_ID: account.businessAccountId,
    WHATSAPP_APP_SECRET: account.appSecret,
    WHATSAPP_VERIFY_TOKEN: account.verifyToken,
  }
}
