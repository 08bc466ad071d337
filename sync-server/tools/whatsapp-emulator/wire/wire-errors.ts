interface WireError {
  status: number
  title: string
  details?: string
}

export const unknownTitle = 'An unknown error occurred'

/**
 * Meta's error codes on the wire, in answers and in `failed` statuses. Source: Meta's page "Error
 * codes".
 */
export const wireErrors: Record<number, WireError> = {
  0: { status: 401, title: 'AuthException' },
  1: { status: 400, title: 'API Unknown' },
  2: { status: 503, title: 'Service temporarily unavailable' },
  4: { status: 400, title: 'Application request limit reached' },
  10: { status: 403, title: 'Application does not have permission for this action' },
  33: { status: 400, title: 'Parameter value is not valid' },
  100: { status: 400, title: 'Invalid parameter' },
  104: { status: 400, title: 'An access token is required to request this resource.' },
  190: { status: 401, title: 'Access token has expired' },
  368: { status: 403, title: 'Temporarily blocked for policies violations' },
  80007: {
    status: 400,
    title: 'There have been too many calls to this WhatsApp Business account',
  },
  130429: {
    status: 429,
    title: 'Rate limit hit',
    details: 'Message failed to send because there were too many messages sent from this number',
  },
  130472: {
    status: 400,
    title: "User's number is part of an experiment",
    details: "Failed to send message because this user's phone number is part of an experiment",
  },
  131000: { status: 500, title: 'Something went wrong' },
  131005: { status: 403, title: 'Access denied' },
  131008: { status: 400, title: 'Required parameter is missing' },
  131009: { status: 400, title: 'Parameter value is not valid' },
  131016: { status: 500, title: 'Service unavailable' },
  131021: {
    status: 400,
    title: 'Recipient cannot be sender',
    details: 'The recipient phone number cannot be the same as the sender phone number',
  },
  131026: { status: 400, title: 'Message undeliverable', details: 'Message Undeliverable.' },
  131030: {
    status: 400,
    title: 'Recipient phone number not in allowed list',
    details:
      'Recipient phone number not in allowed list: Add recipient phone number to recipient list and try again.',
  },
  131031: { status: 403, title: 'Business Account locked' },
  131042: { status: 400, title: 'Business eligibility payment issue' },
  131047: {
    status: 400,
    title: 'Re-engagement message',
    details:
      'Message failed to send because more than 24 hours have passed since the customer last replied to this number.',
  },
  131048: { status: 400, title: 'Spam rate limit hit' },
  131049: {
    status: 400,
    title: 'This message was not delivered to maintain healthy ecosystem engagement.',
    details:
      'In order to maintain a healthy ecosystem engagement, the message failed to be delivered.',
  },
  131050: {
    status: 400,
    title: 'User has stopped marketing messages',
    details: 'The recipient chose to stop receiving marketing messages from this business.',
  },
  131051: {
    status: 400,
    title: 'Message type unknown',
    details: 'Message type is currently not supported.',
  },
  131052: { status: 400, title: 'Media download error' },
  131053: {
    status: 400,
    title: 'Media upload error',
    details: 'The media file could not be processed.',
  },
  131056: {
    status: 429,
    title: '(Business Account, Consumer Account) pair rate limit hit',
    details:
      'Message failed to send because there were too many messages sent from this phone number to the same phone number in a short period of time.',
  },
  131057: { status: 500, title: 'Business Account is in maintenance mode' },
  131060: {
    status: 400,
    title: 'This message is currently unavailable.',
    details: 'The message is currently unavailable.',
  },
  132000: {
    status: 400,
    title: 'Number of parameters does not match the expected number of params',
  },
  132001: { status: 404, title: 'Template name does not exist in the translation' },
  132005: { status: 400, title: 'Translated text too long' },
  132012: { status: 400, title: 'Parameter format does not match format in the created template' },
  132015: { status: 400, title: 'Template is paused', details: 'The template is paused.' },
  133010: { status: 400, title: 'Account not registered' },
  133016: { status: 400, title: 'Account register deregister rate limit exceeded' },
}
