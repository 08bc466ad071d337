export interface TemplateComponent {
  type: 'HEADER' | 'BODY' | 'FOOTER' | 'BUTTONS'
  format?: string
  text?: string
  example?: Record<string, unknown>
  buttons?: { type: string; text: string; url?: string }[]
}

export interface StoredTemplate {
  id: string
  name: string
  language: string
  status: string
  category: string
  parameter_format: 'POSITIONAL' | 'NAMED'
  components: TemplateComponent[]
}

/**
 * A new account's templates: Meta's sample in two languages, and one of each kind that behaves
 * differently.
 */
export function seedTemplates(): StoredTemplate[] {
  const positional = { parameter_format: 'POSITIONAL', category: 'UTILITY' } as const
  const approved = { status: 'APPROVED', ...positional } as const
  const hello: TemplateComponent[] = [{ type: 'BODY', text: 'Hello World!' }]
  return [
    { ...approved, id: '1689556908129832', name: 'hello_world', language: 'en', components: hello },
    {
      ...approved,
      id: '1689556908129833',
      name: 'hello_world',
      language: 'en_US',
      components: hello,
    },
    {
      ...approved,
      id: '1667192013751005',
      name: 'order_confirmation',
      language: 'en',
      components: [
        { type: 'HEADER', format: 'TEXT', text: 'Order Confirmation' },
        {
          type: 'BODY',
          text: 'Thank you! Your order {{1}} is confirmed, the total is {{2}} with tax.',
          example: { body_text: [['A-1', '$10.00']] },
        },
        { type: 'FOOTER', text: 'Thank you for your business!' },
      ],
    },
    {
      ...approved,
      id: '1667192013751009',
      name: 'message_from_us',
      language: 'en',
      components: [
        {
          type: 'BODY',
          text: 'We have a message for you: {{1}} Reply here to talk with us.',
          example: { body_text: [['Your parcel is here.']] },
        },
      ],
    },
    {
      ...positional,
      status: 'PAUSED',
      id: '1667192013751006',
      name: 'spring_sale',
      language: 'en',
      category: 'MARKETING',
      components: [{ type: 'BODY', text: 'Our spring sale has begun.' }],
    },
    {
      ...approved,
      parameter_format: 'NAMED',
      id: '1667192013751007',
      name: 'delivery_update',
      language: 'en',
      components: [
        {
          type: 'BODY',
          text: 'Hello {{customer_name}}, your parcel {{parcel}} is on its way.',
          example: {
            body_text_named_params: [
              { param_name: 'customer_name', example: 'Ann' },
              { param_name: 'parcel', example: 'P-7' },
            ],
          },
        },
      ],
    },
    {
      ...approved,
      id: '1667192013751008',
      name: 'appointment_reminder',
      language: 'en',
      components: [
        { type: 'BODY', text: 'Your appointment is on {{1}}. Will you come?' },
        {
          type: 'BUTTONS',
          buttons: [
            { type: 'QUICK_REPLY', text: 'Yes' },
            { type: 'QUICK_REPLY', text: 'No' },
          ],
        },
      ],
    },
  ]
}
