import { expect, test } from 'vitest'
import type { WhatsAppTemplate as Template } from '../../schema/api/send-whatsapp.ts'
import { must } from '../../schema/helpers/assertions.ts'
import { builtInTemplates } from './channel-dialogs.tsx'
import {
  canBeFilled,
  fillTemplate,
  isFilled,
  listPlaceholders,
  placeWords,
  toTemplateField,
} from './templates-dialog.tsx'

const [hello, order] = builtInTemplates
const orderConfirmation = must(order, 'order_confirmation')
const helloWorld = must(hello, 'hello_world')

const named: Template = {
  ...helloWorld,
  name: 'delivery_update',
  parameter_format: 'NAMED',
  components: [
    { type: 'HEADER', format: 'TEXT', text: 'For {{customer}}' },
    { type: 'BODY', text: 'Hello {{customer}}, parcel {{parcel}} is near. Bye {{customer}}!' },
  ],
}

test('fills order number and total into the text, between header and footer', () => {
  const values = { 'body 1': ' A-17 ', 'body 2': '$10.00' }
  expect(fillTemplate(orderConfirmation, values)).toEqual({
    header: 'Order Confirmation',
    body: 'Thank you! Your order A-17 is confirmed, the total is $10.00 with tax.',
    footer: 'Thank you for your business!',
  })
  expect(toTemplateField(orderConfirmation, values)).toMatchObject({
    name: 'order_confirmation',
    data: {
      language: 'en',
      rendered: 'Thank you! Your order A-17 is confirmed, the total is $10.00 with tax.',
      header: 'Order Confirmation',
      footer: 'Thank you for your business!',
      components: [
        {
          type: 'body',
          parameters: [
            { type: 'text', text: 'A-17' },
            { type: 'text', text: '$10.00' },
          ],
        },
      ],
    },
  })
})

test('an unfilled placeholder stays visible, and the template is incomplete', () => {
  const values = { 'body 2': '$10.00', 'body 1': '  ' }
  expect(fillTemplate(orderConfirmation, values).body).toBe(
    'Thank you! Your order {{1}} is confirmed, the total is $10.00 with tax.',
  )
  expect(isFilled(orderConfirmation, values)).toBe(false)
  expect(isFilled(orderConfirmation, { ...values, 'body 1': 'A-17' })).toBe(true)
})

test('a template without placeholders is complete, and sends no values', () => {
  expect(listPlaceholders(helloWorld)).toEqual([])
  expect(isFilled(helloWorld, {})).toBe(true)
  expect(toTemplateField(helloWorld, {}).data.components).toEqual([])
})

test('asks for a named value once per part, and sends its name', () => {
  expect(listPlaceholders(named)).toEqual([
    { key: 'header customer', name: 'customer' },
    { key: 'body customer', name: 'customer' },
    { key: 'body parcel', name: 'parcel' },
  ])
  const values = { 'header customer': 'Ann', 'body customer': 'Ann', 'body parcel': 'P-7' }
  expect(fillTemplate(named, values).body).toBe('Hello Ann, parcel P-7 is near. Bye Ann!')
  expect(toTemplateField(named, values).data.components).toEqual([
    { type: 'header', parameters: [{ type: 'text', text: 'Ann', parameter_name: 'customer' }] },
    {
      type: 'body',
      parameters: [
        { type: 'text', text: 'Ann', parameter_name: 'customer' },
        { type: 'text', text: 'P-7', parameter_name: 'parcel' },
      ],
    },
  ])
})

test('sends positional values by number, not by their order in the text', () => {
  const turned: Template = { ...helloWorld, components: [{ type: 'BODY', text: '{{2}} of {{1}}' }] }
  const values = { 'body 1': 'one', 'body 2': 'two' }
  const [body] = toTemplateField(turned, values).data.components
  expect(body?.parameters.map(({ text }) => text)).toEqual(['one', 'two'])
  expect(fillTemplate(turned, values).body).toBe('two of one')
})

test('leaves special characters and braces in values unchanged', () => {
  const values = { 'body 1': "$& {{2}} $'", 'body 2': 'x' }
  expect(fillTemplate(orderConfirmation, values).body).toContain("$& {{2}} $'")
})

test('joins several lines into one for a text with a single placeholder', () => {
  const components = [{ type: 'BODY', text: 'We have a message for you: {{1}} Reply to us.' }]
  const carrier: Template = { ...helloWorld, components }
  expect(placeWords(carrier, 'Your parcel\n\nhas\tarrived ')).toEqual({
    'body 1': 'Your parcel has arrived',
  })
})

test('words are no order number: a template with other placeholders cannot carry them', () => {
  expect(placeWords(orderConfirmation, 'words')).toBeUndefined()
  expect(placeWords(helloWorld, 'words')).toBeUndefined()
})

test('a template that needs a file or a part of a link cannot be filled by hand', () => {
  expect(canBeFilled(orderConfirmation)).toBe(true)
  const body = { type: 'BODY', text: 'Look!' }
  const of = (...components: Template['components']) => ({ ...helloWorld, components })
  expect(canBeFilled(of(body, { type: 'HEADER', format: 'IMAGE' }))).toBe(false)
  const button = (url: string) => ({ type: 'BUTTONS', buttons: [{ type: 'URL', url }] })
  expect(canBeFilled(of(body, button('https://example.org/{{1}}')))).toBe(false)
  expect(canBeFilled(of(body, button('https://example.org/')))).toBe(true)
})
