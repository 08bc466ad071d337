import { expect, test } from 'vitest'
import { readWhatsAppSettings } from './whatsapp-settings.ts'

const whole = {
  WHATSAPP_ENABLED: 'true',
  WHATSAPP_ACCESS_TOKEN: 'token-of-the-channel',
  WHATSAPP_PHONE_NUMBER_ID: '106540352242922',
  WHATSAPP_BUSINESS_ACCOUNT_ID: '102290129340398',
  WHATSAPP_APP_SECRET: 'secret-of-the-app',
  WHATSAPP_VERIFY_TOKEN: 'token-of-the-webhook',
}

test('without a word the channel is off', () => {
  expect(readWhatsAppSettings({})).toEqual({ settings: undefined })
  expect(readWhatsAppSettings({ WHATSAPP_ENABLED: ' ' })).toEqual({ settings: undefined })
})

test('on, everything else has a default', () => {
  expect(readWhatsAppSettings(whole)).toMatchObject({
    settings: {
      graphBaseUrl: 'https://graph.facebook.com',
      apiVersion: 'v25.0',
      mediaHosts: ['.fbsbx.com', '.fbcdn.net'],
      isWindowEnforced: true,
      linkCheck: 'strict',
      isTypingSent: false,
      isProofSent: false,
      sendTimeoutMs: 8_000,
      messagesPerSecond: 70,
      eventRetentionDays: 30,
    },
  })
})

test('what is missing is named, each with what it is for', () => {
  expect(readWhatsAppSettings({ WHATSAPP_ENABLED: 'true' })).toEqual({
    faults: [
      'WHATSAPP_ACCESS_TOKEN must be set when WHATSAPP_ENABLED is true: messages are sent with it.',
      'WHATSAPP_PHONE_NUMBER_ID must be set when WHATSAPP_ENABLED is true: messages are sent from this number.',
      'WHATSAPP_BUSINESS_ACCOUNT_ID must be set when WHATSAPP_ENABLED is true: templates are read from this account.',
      'WHATSAPP_APP_SECRET must be set when WHATSAPP_ENABLED is true: without it nobody can tell what really comes from WhatsApp.',
      'WHATSAPP_VERIFY_TOKEN must be set when WHATSAPP_ENABLED is true: Meta shows it when it asks for the address of the webhooks.',
    ],
  })
})

test.each([
  [{ WHATSAPP_ENABLED: 'yes' }, 'WHATSAPP_ENABLED must be "true" or "false".'],
  [
    { WHATSAPP_GRAPH_BASE_URL: 'http://graph.facebook.com' },
    'WHATSAPP_GRAPH_BASE_URL must begin with https://, or be on this machine.',
  ],
  [
    { WHATSAPP_GRAPH_BASE_URL: 'https://a.example/?x=1' },
    'WHATSAPP_GRAPH_BASE_URL must begin with https://, or be on this machine.',
  ],
  [{ WHATSAPP_API_VERSION: '25' }, 'WHATSAPP_API_VERSION must be a version such as v25.0.'],
  [
    { WHATSAPP_PHONE_NUMBER_ID: '+1555' },
    'WHATSAPP_PHONE_NUMBER_ID must be an id of digits, as Meta shows it.',
  ],
  [
    { WHATSAPP_DISPLAY_PHONE_NUMBER: '+1 555' },
    'WHATSAPP_DISPLAY_PHONE_NUMBER must be 7 to 15 digits with the country code.',
  ],
  [
    { WHATSAPP_VERIFY_TOKEN: 'short' },
    'WHATSAPP_VERIFY_TOKEN must have at least 8 characters, or it can be guessed.',
  ],
  [
    { WHATSAPP_ACCESS_TOKEN: 'a\nb' },
    'WHATSAPP_ACCESS_TOKEN must not have blanks or line breaks in it.',
  ],
  [
    { WHATSAPP_MEDIA_HOSTS: 'https://a' },
    'WHATSAPP_MEDIA_HOSTS must be host names, parted by commas, such as .fbsbx.com,.fbcdn.net.',
  ],
  [
    { WHATSAPP_MEDIA_HOSTS: 'com' },
    'WHATSAPP_MEDIA_HOSTS must be host names, parted by commas, such as .fbsbx.com,.fbcdn.net.',
  ],
  [
    { WHATSAPP_VERIFY_LINK: 'maybe' },
    'WHATSAPP_VERIFY_LINK must be "strict" or "lenient" or "off".',
  ],
  [
    { WHATSAPP_SEND_TIMEOUT_MS: '60000' },
    'WHATSAPP_SEND_TIMEOUT_MS must be a whole number from 500 to 14000.',
  ],
  [{ WHATSAPP_MAX_MPS: '0' }, 'WHATSAPP_MAX_MPS must be a whole number from 1 to 1000.'],
])('%o is a fault, without its value', (wrong, words) => {
  expect(readWhatsAppSettings({ ...whole, ...wrong })).toEqual({ faults: [words] })
})

test('the emulator on this machine may be spoken to in the clear', () => {
  const env = { ...whole, WHATSAPP_GRAPH_BASE_URL: 'http://127.0.0.1:4010/' }
  expect(readWhatsAppSettings(env)).toMatchObject({
    settings: { graphBaseUrl: 'http://127.0.0.1:4010' },
  })
})
