/* libyaml's bare event loop over a file: the least that reading YAML through libyaml can cost.

   usage: yaml-events FILE      prints: how many events there were */

#include <stdio.h>
#include <stdlib.h>
#include <yaml.h>

int main(int count, char **arguments) {
    FILE *file = count == 2 ? fopen(arguments[1], "rb") : NULL;
    if (!file || fseek(file, 0, SEEK_END) != 0) return 2;
    long size = ftell(file);
    unsigned char *text = malloc(size > 0 ? (size_t)size : 1);
    rewind(file);
    if (!text || fread(text, 1, (size_t)size, file) != (size_t)size) return 2;
    fclose(file);

    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) return 2;
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, text, (size_t)size);
    long events = 0;
    yaml_event_type_t type;
    do {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) return 1;
        type = event.type;
        yaml_event_delete(&event);
        events++;
    } while (type != YAML_STREAM_END_EVENT);
    yaml_parser_delete(&parser);
    free(text);
    printf("%ld events\n", events);
    return 0;
}
