import type { WhatsAppTemplate } from '../../../schema/api/whatsapp-template.ts'

const kept = { language: 'en', category: 'UTILITY', status: 'APPROVED' } as const

/** The templates shown before the server's first answer. Source: decision 61, section 3. */
export const builtInTemplates: readonly WhatsAppTemplate[] = [
  {
    ...kept,
    id: 'hello_world',
    name: 'hello_world',
    components: [{ type: 'BODY', text: 'Hello World!' }],
  },
  {
    ...kept,
    id: 'order_confirmation',
    name: 'order_confirmation',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Order Confirmation' },
      {
        type: 'BODY',
        text: 'Thank you! Your order {{1}} is confirmed, the total is {{2}} with tax.',
      },
      { type: 'FOOTER', text: 'Thank you for your business!' },
    ],
  },
]
