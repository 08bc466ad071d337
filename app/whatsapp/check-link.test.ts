import { expect, test } from 'vitest'
import { checkLink } from './integration-dialog.tsx'

const form = { waId: '15550783881', phone: '+15550783881', phoneNumberId: '', displayName: '' }

test('a link omits the plus sign and empty fields', () => {
  expect(checkLink(form)).toEqual({
    link: { wa_id: '15550783881', phone_number: '15550783881' },
  })
})

test('ignores spaces, brackets and dashes in a number', () => {
  expect(
    checkLink({
      waId: '+1 555 078 3881',
      phone: '+1 (555) 078-3881',
      phoneNumberId: ' 106540352242922 ',
      displayName: ' Lucky Shrub ',
    }),
  ).toEqual({
    link: {
      wa_id: '15550783881',
      phone_number: '15550783881',
      phone_number_id: '106540352242922',
      whatsapp_name: 'Lucky Shrub',
    },
  })
})

test.each([
  [{ waId: '', phone: '' }, 'WhatsApp ID and phone number are required'],
  [{ waId: ' ' }, 'WhatsApp ID and phone number are required'],
  [{ phone: '' }, 'Phone number is required'],
  [
    { phone: '15550783881' },
    'Please enter a valid phone number with country code (e.g., +1234567890)',
  ],
  [{ phone: '+15550' }, 'Please enter a valid phone number with country code (e.g., +1234567890)'],
])('%o is not a link: %s', (change, problem) => {
  expect(checkLink({ ...form, ...change })).toEqual({ problem })
})
