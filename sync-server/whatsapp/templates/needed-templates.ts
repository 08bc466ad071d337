/**
 * The templates that the screens need. WhatsApp requires text around each value, and an example of
 * it.
 */
export const neededTemplates = [
  {
    name: 'hello_world',
    components: [{ type: 'BODY', text: 'Hello World!' }],
  },
  {
    name: 'order_confirmation',
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
    name: 'message_from_us',
    components: [
      {
        type: 'BODY',
        text: 'We have a message for you: {{1}} Reply here to talk with us.',
        example: { body_text: [['Your parcel is here.']] },
      },
    ],
  },
] as const
