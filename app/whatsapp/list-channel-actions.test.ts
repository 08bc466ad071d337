import { expect, test } from 'vitest'
import { listChannelActions } from './list-channel-actions.ts'

const list = (isLinked: boolean, peer: Parameters<typeof listChannelActions>[0]['peer']) =>
  listChannelActions({ channel: { isLinked }, peer, onWish: () => {} }).map(({ label }) => label)

test('without a link there are no channel actions', () => {
  expect(list(false, { isWhatsAppContact: true, phone_number: '15550783881' })).toEqual([])
})

test('asks for a phone number only if the contact has none', () => {
  expect(list(true, {})).toEqual(['Templates', 'Phone Number'])
  expect(list(true, { phone_number: '15550783881' })).toEqual(['Templates'])
})

test('offers buttons and lists for a customer, also for one who hides their number', () => {
  const all = ['Templates', 'Buttons', 'List', 'Quick replies']
  expect(list(true, { isWhatsAppContact: true, phone_number: '15550783881' })).toEqual(all)
  expect(list(true, { isWhatsAppContact: true })).toEqual(all)
})
