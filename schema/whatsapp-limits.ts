/** WhatsApp's limits, in UTF-16 units and counts. Source: Meta's page for each type of message. */
export const whatsAppLimits = {
  textMax: 4_096,
  captionMax: 1_024,
  filenameMax: 240,
  contactsMax: 257,
  /** The page says 4,096 for lists, the API's description 1,024: the lower always passes. */
  interactiveBodyMax: 1_024,
  headerMax: 60,
  footerMax: 60,
  buttonsMax: 3,
  buttonTitleMax: 20,
  buttonIdMax: 256,
  listButtonMax: 20,
  sectionsMax: 10,
  rowsMax: 10,
  sectionTitleMax: 24,
  rowTitleMax: 24,
  rowIdMax: 200,
  rowDescriptionMax: 72,
  templateNameMax: 512,
  templateParameterMax: 32_768,
  callbackDataMax: 512,
} as const
