/** A template: placeholders are `{{1}}`, or `{{name}}`. Source: section 3 of the specification. */
export interface Template {
  id: string
  name: string
  language: string
  category: string
  status: string
  parameter_format?: string | undefined
  components: readonly { type: string; format?: string | undefined; text?: string | undefined }[]
}

const kept = { language: 'en', category: 'UTILITY', status: 'APPROVED' } as const

/** What is there before the server could be asked, and where it knows none. Source: section 3 of the specification. */
export const builtInTemplates: readonly Template[] = [
  {
    ...{ ...kept, id: 'hello_world', name: 'hello_world' },
    components: [{ type: 'BODY', text: 'Hello World!' }],
  },
  {
    ...{ ...kept, id: 'order_confirmation', name: 'order_confirmation' },
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
